import OdographCivilTime
import OdographSQLite
import OdographWire

/// Delivery with receipts: deletes what is safe in each recorder, and names what is missing and not kept.
extension Database {
    /// The number of rows that one transaction deletes because of receipts.
    private static let deletionBatch = 1024
    /// The room for a given-up record with the largest number of ranges, bytes.
    private static let namingBytes = 96 << 10

    /// Begins delivery with receipts, or with nil delivery to the broker.
    ///
    /// - Parameter receipts: The receipts in force so far.
    mutating func configureDelivery(_ policy: DeliveryPolicy?, receipts: ReceiptsInForce? = nil) throws(StoreError) {
        delivery = nil
        guard let policy else { return }
        var state = DeliveryState(
            policy: policy, receipts: ReceiptsInForce(recorders: policy.recorders, keeping: receipts))
        state.receipts.deletionRevisions = try DeliveryTables.revisions(connection)
        func read(_ table: String) throws(StoreError) {
            try connection.prepare(
                """
                SELECT epoch, seq, kind, timestamp, payload, checksum FROM \(table)
                WHERE kind = \(RecordKind.givenUp.rawValue) AND payload IS NOT NULL
                """
            ).forEach { row throws(StoreError) in
                let record = try row.record()
                state.named[record.key] = policy.codec.decode(record.payload)
                return true
            }
        }
        try read("outbox")
        try read("salvaged")
        if let document = try metadataTables.document(PublishedNumbers.documentName) {
            state.published = PublishedNumbers(document: document)
        }
        if let document = try metadataTables.document(KnownConflicts.documentName) {
            state.conflicts = KnownConflicts(document: document)
        }
        if let document = try metadataTables.document(ForeignEpochs.documentName) {
            state.foreignEpochs = ForeignEpochs(document: document)
        }
        // Records that the broker has acknowledged are kept from now on.
        for key in pendingAcknowledgements.keys(currentEpoch: counters.epochIdentity.epoch) {
            state.published.insert(key)
        }
        pendingAcknowledgements.removeAll()
        delivery = state
    }

    /// Takes a receipt, and then does what ``settleDelivery(at:)`` does.
    mutating func apply(_ receipt: RecorderReceipt, at now: Timestamp) throws(StoreError) -> ReceiptFindings {
        var findings = ReceiptFindings()
        guard var state = delivery else { return findings }
        findings.isAccepted = state.receipts.accept(receipt)
        guard findings.isAccepted else { return findings }
        delivery = state
        let present = counters.epochIdentity.epoch
        var own = try DeliveryTables.epochs(connection)
        own[present] = max(sequenceAllocator?.reservation.reservedThrough ?? 0, counters.usedThroughSeq)
        let foreign = state.receipts.epochs.filter { state.receipts.greatestNumber(in: $0) > own[$0] ?? -1 }
        if foreign.contains(present) { findings.foreignNumber = state.receipts.greatestNumber(in: present) }
        findings.hasNewConflicts = try noteConflicts(receipt)
        try settleDelivery(at: now)
        try savePublished()
        // At the end: after an error, the next receipt reports them.
        findings.foreignEpochs = try noteForeignEpochs(foreign).subtracting([present])
        return findings
    }

    /// Deletes the records that are safe and old enough, and names the numbers that a recorder misses and that are
    /// neither kept nor named.
    mutating func settleDelivery(at now: Timestamp) throws(StoreError) {
        guard let delivery else { return }
        try deleteSafe(before: now.advanced(bySeconds: -delivery.policy.keepSeconds))
        let unnamed = try numbersToName()
        guard !unnamed.isEmpty else { return }
        try makeRoom(for: Self.namingBytes, at: now)
        try transaction(isDurable: true) { database throws(StoreError) in
            var carried = CommitJournal()
            let list = GivenUpList.naming(unnamed, by: database.counters.ledger)
            try database.insertGivenUp(list, into: &carried, at: now)
            try database.saveToJournalTable(carried)
        }
    }

    /// Deletes all records from before an instant that are safe in each recorder and were published.
    mutating func deleteSafe(before instant: Timestamp) throws(StoreError) {
        var isDone = delivery == nil
        while !isDone {
            isDone = try transaction { database throws(StoreError) in
                var carried = CommitJournal()
                let hasDeleted = try database.deleteSafe(before: instant, into: &carried)
                try database.saveToJournalTable(carried)
                return !hasDeleted
            }
        }
    }

    /// Returns the numbers of own epochs that a recorder misses and that are neither kept nor named.
    private borrowing func numbersToName() throws(StoreError) -> [Int64: NumberSet] {
        guard let delivery else { return [:] }
        let present = counters.epochIdentity.epoch
        var own = try DeliveryTables.epochs(connection)
        own[present] = counters.newestSeq
        var unnamed: [Int64: NumberSet] = [:]
        for (epoch, last) in own {
            var numbers = delivery.receipts.missing(in: epoch, through: last)
            guard !numbers.isEmpty else { continue }
            numbers.subtract(delivery.named(in: epoch))
            let kept =
                epoch == present
                ? "SELECT seq FROM outbox WHERE seq BETWEEN ?1 AND ?2 AND payload IS NOT NULL AND epoch = ?3"
                : "SELECT seq FROM salvaged WHERE seq BETWEEN ?1 AND ?2 AND epoch = ?3"
            let statement = try connection.prepare(kept)
            for range in numbers.closedRanges {
                try statement.forEach(.integer(range.lowerBound), .integer(range.upperBound), .integer(epoch)) {
                    row throws(StoreError) in
                    numbers.remove(row.integer(0)...row.integer(0))
                    return true
                }
            }
            if !numbers.isEmpty { unnamed[epoch] = numbers }
        }
        return unnamed
    }

    /// Deletes a batch of records that are safe in each recorder and were published. The newest row stays: its
    /// number is the last one.
    ///
    /// - Parameter cutoff: Records from this instant on are kept; nil to delete all that are safe.
    /// - Returns: Whether records were deleted.
    mutating func deleteSafe(before cutoff: Timestamp?, into carried: inout CommitJournal) throws(StoreError) -> Bool {
        guard let receipts = delivery?.receipts, let published = delivery?.published else { return false }
        let present = counters.epochIdentity.epoch
        let ofPresent = published[present]
        let latest = cutoff?.millisecondsSinceEpoch ?? .max
        var (seqs, salvagedKeys): ([Int64], [RecordKey]) = ([], [])
        try connection.prepare(
            "SELECT seq, timestamp FROM outbox WHERE seq <= ?1 AND payload IS NOT NULL ORDER BY seq LIMIT ?2"
        ).forEach(
            .integer(min(receipts.deletableThrough(in: present), counters.newestSeq - 1)),
            .integer(Int64(Self.deletionBatch))
        ) { row throws(StoreError) in
            // The rows are in the order of recording: the rows after a new one are new.
            guard row.integer(1) < latest else { return false }
            if ofPresent.contains(row.integer(0)) { seqs.append(row.integer(0)) }
            return true
        }
        if counters.salvagedCount > 0 {
            let rows = try connection.prepare(
                "SELECT seq FROM salvaged WHERE epoch = ?1 AND seq <= ?2 AND timestamp < ?3 ORDER BY seq LIMIT ?4")
            for epoch in receipts.epochs.sorted() {
                let ofEpoch = published[epoch]
                try rows.forEach(
                    .integer(epoch), .integer(receipts.deletableThrough(in: epoch)), .integer(latest),
                    .integer(Int64(Self.deletionBatch))
                ) { row throws(StoreError) in
                    if ofEpoch.contains(row.integer(0)) {
                        salvagedKeys.append(RecordKey(epoch: epoch, seq: row.integer(0)))
                    }
                    return true
                }
            }
        }
        guard !seqs.isEmpty || !salvagedKeys.isEmpty else { return false }
        try delete(salvagedKeys + seqs.map { RecordKey(epoch: present, seq: $0) }, into: &carried)
        for (recorder, revision) in receipts.revisions where delivery?.receipts.deletionRevisions[recorder] != revision
        {
            try DeliveryTables.saveRevision(revision, of: recorder, in: connection)
            delivery?.receipts.deletionRevisions[recorder] = revision
        }
        return true
    }

    /// Inserts the given-up records that name the numbers of a list, and the gap before them. The transaction must be
    /// durable, because a power cut must not undo it after the records are sent.
    mutating func insertGivenUp(
        _ list: GivenUpList, into carried: inout CommitJournal, at now: Timestamp
    ) throws(StoreError) {
        var list = list
        if let gap = counters.pendingGap {
            list.insert(
                GivenUpNumbers(epoch: gap.epoch, numbers: gap.fromSeq...gap.toSeq, reason: .ledger(gap.reason)))
        }
        for part in list.parts {
            let seq = counters.usedThroughSeq + 1
            try reserveNumbers(through: seq)
            guard let record = givenUpRecord(seq, naming: part, at: now) else { return }
            addToLedger([])
            if let tombstone = counters.tombstoneSeq {
                counters.outboxCount += 1
                counters.tombstoneSeq = nil
                try remove(tombstone...tombstone, into: &carried)
            }
            try outbox.insert(record, payload: PayloadCompression.compressed(record.payload), inputs: [])
            counters.newestSeq = seq
            counters.outboxCount += 1
            noteNames(part, of: record.key)
        }
    }

    /// Names the gap of an epoch that has ended before its next record.
    mutating func name(_ gap: LedgerEntry?, at now: Timestamp) throws(StoreError) {
        guard let gap, delivery != nil else { return }
        try transaction(isDurable: true) { database throws(StoreError) in
            var carried = CommitJournal()
            let numbers = GivenUpNumbers(
                epoch: gap.epoch, numbers: gap.fromSeq...gap.toSeq, reason: .ledger(gap.reason))
            try database.insertGivenUp(GivenUpList([numbers]), into: &carried, at: now)
            try database.saveToJournalTable(carried)
        }
    }

    /// Returns the record with a number that names other numbers; nil with delivery to the broker.
    borrowing func givenUpRecord(_ seq: Int64, naming part: [GivenUpNumbers], at now: Timestamp) -> StoredRecord? {
        guard let codec = delivery?.policy.codec else { return nil }
        let identity = counters.epochIdentity.identity(forSeq: seq)
        return StoredRecord(
            epoch: identity.epoch, seq: seq, kind: .givenUp, timestamp: now,
            payload: codec.encode(identity, now, part).bytes)
    }

    /// Notes the numbers that a stored given-up record names.
    mutating func noteNames(_ part: [GivenUpNumbers], of key: RecordKey) {
        delivery?.named[key] = part
        delivery?.insertedCount += 1
    }

    /// Returns the numbers of an epoch that each recorder covers; none with delivery to the broker.
    borrowing func covered(in epoch: Int64) -> NumberSet { delivery?.receipts.covered(in: epoch) ?? NumberSet() }

    /// Returns the largest possible number of records in the outbox that a recorder does not cover.
    borrowing func mostUncovered() throws(StoreError) -> Int {
        guard let delivery, let oldest = try outbox.oldestSeq(), oldest <= counters.newestSeq else { return .max }
        let covered = delivery.receipts.covered(in: counters.epochIdentity.epoch)
        return NumberSet([oldest...counters.newestSeq]).subtracting(covered).numberCount
    }

    /// Returns the records of earlier epochs that a recorder does not cover. They are counted once for each receipt.
    mutating func uncoveredOfEarlierEpochs() throws(StoreError) -> DeliveryState.Uncovered {
        let count = counters.salvagedCount
        guard count > 0 else { return DeliveryState.Uncovered() }
        guard let delivery else { return DeliveryState.Uncovered(count: count) }
        let revisions = delivery.receipts.revisions
        if let known = delivery.uncovered, known.ofCount == count, known.revisions == revisions { return known }
        var found = DeliveryState.Uncovered(ofCount: count, revisions: revisions)
        var covered: [Int64: NumberSet] = [:]
        try connection.prepare("SELECT epoch, seq FROM salvaged").forEach { row throws(StoreError) in
            let epoch = row.integer(0)
            let numbers = covered[epoch] ?? delivery.receipts.covered(in: epoch)
            covered[epoch] = numbers
            if !numbers.contains(row.integer(1)) { found.count += 1 }
            return true
        }
        if var state = self.delivery {
            state.uncovered = found
            self.delivery = state
        }
        return found
    }
}
