import OdographCivilTime
import OdographWire

extension Database {
    /// Implements `AgentStore.commit`.
    mutating func commit(
        _ records: [PendingRecord], dropped: [RecordKind: Int], journal: [UInt8], snapshot: [UInt8]?, at now: Timestamp
    ) throws(StoreError) -> [StoredRecord] {
        guard delivery != nil else {
            return try insert(records, dropped: dropped, journal: journal, snapshot: snapshot, at: now)
        }
        // Given-up records take numbers, so room is made before the records get theirs.
        try giveUp(for: Self.expectedBytes(records, journal: journal, snapshot: snapshot), at: now)
        // Larger records than expected need more room.
        for share in [8, 4, 2] {
            do throws(StoreError) {
                return try insert(records, dropped: dropped, journal: journal, snapshot: snapshot, at: now)
            } catch .overQuota {
                try giveUp(for: options.maximumBytes / share, at: now)
            }
        }
        return try insert(records, dropped: dropped, journal: journal, snapshot: snapshot, at: now)
    }

    /// Returns the expected size of a commit, bytes.
    private static func expectedBytes(_ records: [PendingRecord], journal: [UInt8], snapshot: [UInt8]?) -> Int {
        // Most payloads are smaller, and a timeline event is stored twice.
        records.count * (2 << 10) + journal.count + (snapshot?.count ?? 0)
    }

    /// Returns the numbers before the next record for which no record comes.
    private borrowing func names(of entries: [LedgerEntry]) -> [GivenUpNumbers] {
        ((counters.pendingGap.map { [$0] } ?? []) + entries).map {
            GivenUpNumbers(epoch: $0.epoch, numbers: $0.fromSeq...$0.toSeq, reason: .ledger($0.reason))
        }
    }

    private mutating func insert(
        _ records: [PendingRecord], dropped: [RecordKind: Int], journal: [UInt8], snapshot: [UInt8]?, at now: Timestamp
    ) throws(StoreError) -> [StoredRecord] {
        let identities = counters.epochIdentity
        let entries = records.isEmpty ? [] : ledgerEntries(for: dropped, at: now)
        // With receipts, a record before these names the numbers that have none.
        let names = records.isEmpty || delivery == nil ? [] : names(of: entries)
        let namesSeq = (entries.last?.toSeq ?? counters.usedThroughSeq) + 1
        let usedThrough = names.isEmpty ? namesSeq - 1 : namesSeq
        try reserveNumbers(through: usedThrough + Int64(records.count))
        let stored = zip(Int64(1)..., records).map { offset, record in
            let identity = identities.identity(forSeq: usedThrough + offset)
            return StoredRecord(
                epoch: identity.epoch, seq: identity.seq, kind: record.kind, timestamp: record.timestamp,
                payload: record.encode(identity).bytes)
        }
        let naming = names.isEmpty ? nil : givenUpRecord(namesSeq, naming: names, at: now)
        let rows = ((naming.map { [$0] } ?? []) + stored).map {
            Row(record: $0, payload: PayloadCompression.compressed($0.payload))
        }
        let bytes = rows.reduce(journal.count + (snapshot?.count ?? 0)) {
            $0 + $1.payload.count + Self.rowOverheadBytes
        }
        // A timeline event is stored a second time, for queries.
        let copies = zip(records, stored).reduce(0) {
            $1.0.timeline == nil ? $0 : $0 + $1.1.payload.count + 3 * Self.rowOverheadBytes
        }
        try withinQuota(bytes + copies, isDurable: naming != nil, at: now) { (database, room) throws(StoreError) in
            var carried = try database.removeAcknowledged(isFollowedByRecords: !stored.isEmpty)
            try database.makeRoom(for: room, carried: &carried, at: now)
            if !stored.isEmpty { database.addToLedger(entries) }
            try database.insert(rows, carried: carried, journal: journal, snapshot: snapshot)
            if let naming { database.noteNames(names, of: naming.key) }
            try database.saveTimelineRevisions(of: records, as: stored)
        }
        pendingAcknowledgements.removeAll()
        return stored
    }

    /// Deletes the acknowledged records in a separate transaction.
    mutating func flushAcknowledgements() throws(StoreError) {
        guard !pendingAcknowledgements.isEmpty else { return }
        try transaction { database throws(StoreError) in
            let carried = try database.removeAcknowledged(isFollowedByRecords: false)
            try database.saveToJournalTable(carried)
        }
        pendingAcknowledgements.removeAll()
    }

    /// The bytes of a row in addition to its payload: header, numbers, and its share of a partly filled page.
    private static let rowOverheadBytes = 64

    /// A record and its payload in the format of a row.
    private struct Row {
        var record: StoredRecord
        var payload: [UInt8]
    }

    private mutating func insert(
        _ rows: [Row], carried: CommitJournal, journal: [UInt8], snapshot: [UInt8]?
    ) throws(StoreError) {
        var entries = CommitJournal()
        if snapshot == nil, !journal.isEmpty {
            counters.journalOrdinal += 1
            entries.append(CommitJournal.Entry(ordinal: counters.journalOrdinal, bytes: journal))
        }
        if let last = rows.last {
            // Carried entries stay in the newest row, on one page, while they fit.
            var inputs = carried
            inputs.append(encoded: entries.encoded)
            let isTooMuch = last.payload.count + inputs.encoded.count > TrackerStateTables.rowBytes
            if isTooMuch, snapshot == nil {
                // Long entries would take a page now, and a slot when the row is deleted: use a slot at once.
                let isLong = last.payload.count + entries.encoded.count > TrackerStateTables.rowBytes
                try saveToJournalTable(isLong ? inputs : carried)
                inputs = isLong ? CommitJournal() : entries
            }
            for row in rows.dropLast() { try outbox.insert(row.record, payload: row.payload, inputs: []) }
            try outbox.insert(last.record, payload: last.payload, inputs: snapshot == nil ? inputs.encoded : [])
            counters.newestSeq = last.record.seq
            counters.outboxCount += rows.count
        } else if snapshot == nil {
            var inputs = carried
            inputs.append(encoded: entries.encoded)
            try saveToJournalTable(inputs)
        }
        if let snapshot {
            try trackerStateTables.save(
                TrackerStateTables.Snapshot(ordinal: counters.journalOrdinal, seq: counters.newestSeq, bytes: snapshot))
            counters.snapshotSeq = counters.newestSeq
            counters.nextJournalSlot = 0
        }
    }

    /// Saves journal entries without a record.
    mutating func saveToJournalTable(_ journal: CommitJournal) throws(StoreError) {
        var slot = CommitJournal()
        for entry in CommitJournal.entries(in: journal.encoded) {
            if !slot.isEmpty, slot.encoded.count + entry.bytes.count + 12 > TrackerStateTables.rowBytes {
                try saveToNextSlot(slot)
                slot = CommitJournal()
            }
            slot.append(entry)
        }
        if !slot.isEmpty { try saveToNextSlot(slot) }
    }

    private mutating func saveToNextSlot(_ journal: CommitJournal) throws(StoreError) {
        try trackerStateTables.saveEntries(journal.encoded, slot: counters.nextJournalSlot)
        counters.nextJournalSlot += 1
    }

    /// Deletes the acknowledged records.
    ///
    /// - Parameter isFollowedByRecords: Whether this transaction inserts records: then the newest row can go.
    /// - Returns: The journal entries of the deleted rows that are still needed.
    private mutating func removeAcknowledged(isFollowedByRecords: Bool) throws(StoreError) -> CommitJournal {
        var carried = CommitJournal()
        if isFollowedByRecords, let tombstone = counters.tombstoneSeq {
            // A tombstone is not counted: add it, because `remove` subtracts it.
            counters.outboxCount += 1
            counters.tombstoneSeq = nil
            try remove(tombstone...tombstone, into: &carried)
        }
        for run in contiguousRanges(of: pendingAcknowledgements.seqs) {
            guard !isFollowedByRecords, run.contains(counters.newestSeq) else {
                try remove(run, into: &carried)
                continue
            }
            if try outbox.makeTombstone(counters.newestSeq) {
                counters.outboxCount -= 1
                counters.tombstoneSeq = counters.newestSeq
            }
            if run.lowerBound < counters.newestSeq {
                try remove(run.lowerBound...counters.newestSeq - 1, into: &carried)
            }
        }
        for key in pendingAcknowledgements.salvaged.sorted() where try salvaged.delete(key) {
            counters.salvagedCount -= 1
        }
        return carried
    }

    /// Deletes rows of the outbox, except the newest one that must stay, and carries their journal entries.
    mutating func remove(_ range: ClosedRange<Int64>, into carried: inout CommitJournal) throws(StoreError) {
        if range.upperBound > counters.snapshotSeq {
            for inputs in try outbox.inputs(in: max(range.lowerBound, counters.snapshotSeq + 1)...range.upperBound) {
                carried.append(encoded: inputs)
            }
        }
        counters.outboxCount -= try outbox.delete(range)
    }
}
