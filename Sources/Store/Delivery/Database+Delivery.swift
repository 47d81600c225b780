import OdographCivilTime
import OdographSQLite
import OdographWire

/// Delivery with receipts: deletes what is safe in each recorder, and names what is missing and not kept.
extension Database {
    /// The number of rows of an epoch that one transaction deletes because of receipts.
    static let deletionBatch = 1024
    /// The room for a given-up record with the largest number of ranges, bytes.
    private static let namingBytes = 96 << 10

    /// Begins delivery with receipts, or with nil delivery to the broker.
    ///
    /// - Parameter receipts: The receipts in force so far.
    mutating func configureDelivery(_ policy: DeliveryPolicy?, receipts: ReceiptsInForce? = nil) throws(StoreError) {
        delivery = nil
        guard let policy else { return }
        var new = try Delivery(policy, keeping: receipts, from: connection, metadataTables)
        // Records that the broker has acknowledged are kept from now on.
        for key in pendingAcknowledgements.keys(currentEpoch: counters.epochIdentity.epoch) {
            new.published.insert(key)
        }
        pendingAcknowledgements.removeAll()
        delivery = new
    }

    /// Takes a receipt, and then does what ``settleDelivery(at:)`` does.
    mutating func apply(_ receipt: RecorderReceipt, at now: Timestamp) throws(StoreError) -> ReceiptFindings {
        guard var accepting = delivery, accepting.receipts.accept(receipt) else { return ReceiptFindings() }
        delivery = accepting
        let reserved = sequenceAllocator?.reservation.reservedThrough ?? 0
        let ownEpochs = try self.ownEpochs(presentThrough: max(reserved, counters.usedThroughSeq))
        try settleDelivery(at: now)
        // At the end: after an error, the next receipt reports the same findings.
        guard var noting = delivery else { return ReceiptFindings(isAccepted: true) }
        let findings = noting.note(receipt, ownEpochs: ownEpochs, present: counters.epochIdentity.epoch)
        try save(noting)
        return findings
    }

    /// Notes records that the broker acknowledged. Saves them if there are many: after a kill, only those that were not
    /// saved are published again.
    mutating func notePublished(_ keys: [RecordKey]) throws(StoreError) {
        for key in keys { delivery?.published.insert(key) }
        if delivery?.published.unsavedCount ?? 0 >= options.acknowledgementBatch { try savePublished() }
    }

    /// Saves which of the kept records were published.
    mutating func savePublished() throws(StoreError) {
        if let delivery { try save(delivery) }
    }

    /// Saves a new state of delivery, as far as it differs from what is saved, and then uses it.
    private mutating func save(_ new: Delivery) throws(StoreError) {
        var new = new
        try new.published.join { epoch, first throws(StoreError) in try firstKept(of: epoch, from: first) }
        var changed: [(name: String, bytes: [UInt8])] = []
        for document in new.documents where try metadataTables.document(document.name) ?? [] != document.bytes {
            changed.append(document)
        }
        if !changed.isEmpty {
            try transaction { database throws(StoreError) in
                for document in changed { try database.metadataTables.saveDocument(document.name, document.bytes) }
            }
        }
        delivery = new
    }

    /// Returns the last numbers of the epochs of this device.
    private borrowing func ownEpochs(presentThrough last: Int64) throws(StoreError) -> [Int64: Int64] {
        var own = try DeliveryTables.epochs(connection)
        own[counters.epochIdentity.epoch] = last
        return own
    }

    /// Deletes the records that are safe and old enough, and names the numbers that a recorder misses and that are
    /// neither kept nor named.
    mutating func settleDelivery(at now: Timestamp) throws(StoreError) {
        guard let delivery else { return }
        // A receipt comes often, and the rows are in the order of recording: the first ones are the old ones.
        try deleteSafe(
            before: now.advanced(bySeconds: -delivery.policy.keepSeconds), ofFirst: Self.deletionBatch)
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
    /// - Parameter limit: The number of kept rows of an epoch that are examined, the first ones.
    mutating func deleteSafe(before instant: Timestamp, ofFirst limit: Int) throws(StoreError) {
        var isDone = delivery == nil
        while !isDone {
            isDone = try transaction { database throws(StoreError) in
                var carried = CommitJournal()
                let hasDeleted = try database.deleteSafe(before: instant, ofFirst: limit, into: &carried)
                try database.saveToJournalTable(carried)
                return !hasDeleted
            }
        }
    }

    /// Returns the numbers of own epochs that a recorder misses and that are neither kept nor named.
    private borrowing func numbersToName() throws(StoreError) -> [Int64: NumberSet] {
        guard let delivery else { return [:] }
        var found: [Int64: NumberSet] = [:]
        for (epoch, last) in try ownEpochs(presentThrough: counters.newestSeq) {
            var numbers = delivery.unnamed(in: epoch, through: last)
            for range in numbers.closedRanges { numbers.subtract(try keptNumbers(of: epoch, in: range)) }
            if !numbers.isEmpty { found[epoch] = numbers }
        }
        return found
    }

    /// Deletes a batch of records that are safe in each recorder and were published.
    ///
    /// - Parameters:
    ///   - cutoff: Records from this instant on are kept; nil to delete all that are safe.
    ///   - limit: The number of kept rows of an epoch that are examined, the first ones.
    /// - Returns: Whether records were deleted.
    mutating func deleteSafe(
        before cutoff: Timestamp?, ofFirst limit: Int = deletionBatch, into carried: inout CommitJournal
    ) throws(StoreError) -> Bool {
        guard let receipts = delivery?.receipts else { return false }
        let keys = try safeRecords(before: cutoff, ofFirst: limit)
        guard !keys.isEmpty else { return false }
        try delete(keys, into: &carried)
        for (recorder, revision) in receipts.revisions where receipts.deletionRevisions[recorder] != revision {
            try DeliveryTables.saveRevision(revision, of: recorder, in: connection)
            delivery?.receipts.deletionRevisions[recorder] = revision
        }
        return true
    }

    /// Returns records that are safe in each recorder and were published, at most a batch of each epoch. The newest row
    /// is not among them: its number is the last one.
    private borrowing func safeRecords(before cutoff: Timestamp?, ofFirst limit: Int) throws(StoreError) -> [RecordKey]
    {
        guard let delivery else { return [] }
        var keys: [RecordKey] = []
        for epoch in delivery.receipts.epochs.sorted() {
            let published = delivery.published[epoch]
            let isPresent = epoch == counters.epochIdentity.epoch
            let safe = delivery.receipts.deletableThrough(in: epoch)
            let last = isPresent ? min(safe, counters.newestSeq - 1) : safe
            var (read, taken) = (0, 0)
            try forEachKept(of: epoch) { seq, instant in
                guard seq <= last, read < limit, taken < Self.deletionBatch else { return false }
                read += 1
                // A row with a date in the future is no reason to keep the older ones after it.
                guard cutoff.map({ instant < $0 }) ?? true, published.contains(seq) else { return true }
                keys.append(RecordKey(epoch: epoch, seq: seq))
                taken += 1
                return true
            }
        }
        return keys
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
            let identity = counters.epochIdentity.identity(forSeq: seq)
            guard let record = delivery?.givenUpRecord(as: identity, naming: part, at: now) else { return }
            counters.addToLedger([])
            if let tombstone = counters.tombstoneSeq {
                counters.outboxCount += 1
                counters.tombstoneSeq = nil
                try remove(tombstone...tombstone, into: &carried)
            }
            try outbox.insert(record, payload: PayloadCompression.compressed(record.payload), inputs: [])
            counters.newestSeq = seq
            counters.outboxCount += 1
            delivery?.noteNames(part, of: record.key)
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

    /// Returns the numbers of an epoch that each recorder covers; none with delivery to the broker.
    borrowing func covered(in epoch: Int64) -> NumberSet { delivery?.receipts.covered(in: epoch) ?? NumberSet() }

    /// Returns the largest possible number of records in the outbox that a recorder does not cover.
    borrowing func mostUncovered() throws(StoreError) -> Int {
        guard let delivery, let oldest = try outbox.oldestSeq(), oldest <= counters.newestSeq else { return .max }
        let covered = delivery.receipts.covered(in: counters.epochIdentity.epoch)
        return NumberSet([oldest...counters.newestSeq]).subtracting(covered).numberCount
    }

    /// Returns the number of records of earlier epochs that a recorder does not cover; all with delivery to the broker.
    mutating func uncoveredOfEarlierEpochs() throws(StoreError) -> Int {
        guard counters.salvagedCount > 0, var counting = delivery else { return counters.salvagedCount }
        defer { delivery = counting }
        return try counting.uncoveredCount(of: counters.salvagedCount) { take throws(StoreError) in
            try salvaged.forEachTimestamp(from: RecordKey(epoch: .min, seq: .min)) { key, _ in
                take(key)
                return true
            }
        }
    }
}
