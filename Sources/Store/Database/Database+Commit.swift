import OdographCivilTime
import OdographWire

extension Database {
    /// Implements `AgentStore.commit`.
    mutating func commit(
        _ records: [NewRecord], dropped: [RecordKind: Int], journal: [UInt8], snapshot: [UInt8]?, at now: Timestamp
    ) throws(StoreError) {
        let rows = records.map { Row(record: $0.record, payload: PayloadCompression.compressed($0.record.payload)) }
        // A timeline event is stored a second time, for queries.
        let copies = records.reduce(0) {
            $1.timeline == nil ? $0 : $0 + $1.record.payload.count + 3 * Self.rowOverheadBytes
        }
        let bytes = rows.reduce(journal.count + (snapshot?.count ?? 0) + copies) {
            $0 + $1.payload.count + Self.rowOverheadBytes
        }
        try makeRoom(for: bytes, at: now)
        do throws(StoreError) {
            try insert(records, rows, bytes, dropped: dropped, journal: journal, snapshot: snapshot, at: now)
        } catch .overQuota {
            try makeRoom(for: bytes + options.maximumBytes / 8, at: now)
            try insert(records, rows, bytes, dropped: dropped, journal: journal, snapshot: snapshot, at: now)
        }
    }

    private mutating func insert(
        _ records: [NewRecord], _ rows: [Row], _ bytes: Int, dropped: [RecordKind: Int], journal: [UInt8],
        snapshot: [UInt8]?, at now: Timestamp
    ) throws(StoreError) {
        let before = numbersBeforeRecords(dropped: dropped, at: now)
        // With receipts, the given-up records that made room have taken numbers. Another database has other ones.
        for (seq, new) in zip((before.through + 1)..., records)
        where new.record.key != RecordKey(epoch: counters.epochIdentity.epoch, seq: seq) {
            throw .numbersChanged(path: path)
        }
        var naming: StoredRecord?
        if !records.isEmpty, !before.names.isEmpty {
            let identity = counters.epochIdentity.identity(forSeq: before.through)
            naming = delivery?.givenUpRecord(as: identity, naming: before.names, at: now)
        }
        let all =
            (naming.map { [Row(record: $0, payload: PayloadCompression.compressed($0.payload))] } ?? []) + rows
        if let last = all.last { try reserveNumbers(through: last.record.seq) }
        try withinQuota(bytes + (naming?.payload.count ?? 0), isDurable: naming != nil) {
            database throws(StoreError) in
            let carried = try database.removeAcknowledged(isFollowedByRecords: !records.isEmpty)
            if !records.isEmpty { database.counters.addToLedger(before.entries) }
            try database.insert(all, carried: carried, journal: journal, snapshot: snapshot)
            if let naming { database.delivery?.noteNames(before.names, of: naming.key) }
            try database.saveTimelineRevisions(of: records)
        }
        pendingAcknowledgements.removeAll()
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
        if isFollowedByRecords { try removeTombstone(into: &carried) }
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

    /// Deletes the row of a tombstone: another record follows, which then is the newest one.
    private mutating func removeTombstone(into carried: inout CommitJournal) throws(StoreError) {
        guard let tombstone = counters.tombstoneSeq else { return }
        // A tombstone is not counted: add it, because `remove` subtracts it.
        counters.outboxCount += 1
        counters.tombstoneSeq = nil
        try remove(tombstone...tombstone, into: &carried)
    }

    /// Inserts a record without inputs that has the next number, after a gap that is pending.
    mutating func append(_ record: StoredRecord, into carried: inout CommitJournal) throws(StoreError) {
        counters.addToLedger([])
        try removeTombstone(into: &carried)
        try outbox.insert(record, payload: PayloadCompression.compressed(record.payload), inputs: [])
        counters.newestSeq = record.seq
        counters.outboxCount += 1
    }
}
