import OdographCivilTime
import OdographSQLite
import OdographWire

/// Delivery with receipts: deletes what is safe in each recorder, and names what is missing and not kept.
extension Database {
    /// The number of rows that one transaction deletes because of receipts, and of the rows of an epoch that are read
    /// for each receipt.
    private static let deletionBatch = 1024
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
    ///
    /// - Parameter knowsEpochs: Whether the database knows the earlier epochs of this device.
    mutating func apply(
        _ receipt: RecorderReceipt, at now: Timestamp, knowsEpochs: Bool = true
    ) throws(StoreError) -> ReceiptFindings {
        guard var accepting = delivery, accepting.receipts.accept(receipt) else { return ReceiptFindings() }
        delivery = accepting
        let reserved = sequenceAllocator?.reservation.reservedThrough ?? 0
        let ownEpochs = try self.ownEpochs(presentThrough: max(reserved, counters.usedThroughSeq))
        try settleDelivery(at: now, isQuick: true)
        // At the end: after an error, the next receipt reports the same findings.
        guard var noting = delivery else { return ReceiptFindings(isAccepted: true) }
        let findings = noting.note(
            receipt, ownEpochs: ownEpochs, present: counters.epochIdentity.epoch, knowsEpochs: knowsEpochs)
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
    ///
    /// - Parameter isQuick: Whether to stop at old records that many newer ones precede, because the clock was wrong
    ///   for a while, and to leave out numbers of the present epoch that no receipt knows yet. A receipt comes often,
    ///   and must not read all rows.
    mutating func settleDelivery(at now: Timestamp, isQuick: Bool = false) throws(StoreError) {
        guard let delivery else { return }
        try deleteSafe(
            before: now.advanced(bySeconds: -delivery.policy.keepSeconds), isQuick: isQuick)
        let unnamed = try numbersToName(isQuick: isQuick)
        guard !unnamed.isEmpty else { return }
        try makeRoom(for: Self.namingBytes, at: now)
        try transaction(isDurable: true) { database throws(StoreError) in
            var carried = CommitJournal()
            let list = GivenUpList.naming(unnamed, by: database.counters.ledger)
            try database.insertGivenUp(list, into: &carried, at: now)
            try database.saveToJournalTable(carried)
        }
    }

    /// Deletes the records from before an instant that are safe in each recorder and were published.
    /// - Parameter isQuick: See ``settleDelivery(at:isQuick:)``.
    mutating func deleteSafe(before instant: Timestamp, isQuick: Bool = false) throws(StoreError) {
        var isDone = false
        while !isDone {
            let keys = try safeRecords(before: instant, ofFirst: isQuick ? Self.deletionBatch : .max)
            // Without a limit, one pass has read all rows.
            isDone = keys.isEmpty || !isQuick
            for start in stride(from: 0, to: keys.count, by: Self.deletionBatch) {
                let batch = Array(keys[start..<min(start + Self.deletionBatch, keys.count)])
                try transaction { database throws(StoreError) in
                    var carried = CommitJournal()
                    try database.deleteSafe(batch, into: &carried)
                    try database.saveToJournalTable(carried)
                }
            }
        }
    }

    /// Returns the numbers of own epochs that a recorder misses and that are neither kept nor named.
    /// - Parameter isQuick: See ``settleDelivery(at:isQuick:)``.
    private borrowing func numbersToName(isQuick: Bool) throws(StoreError) -> [Int64: NumberSet] {
        guard let delivery else { return [:] }
        var found: [Int64: NumberSet] = [:]
        for (epoch, last) in try ownEpochs(presentThrough: counters.newestSeq) {
            let isStated = isQuick && epoch == counters.epochIdentity.epoch
            var numbers = delivery.unnamed(in: epoch, through: last, isStated: isStated)
            for range in numbers.closedRanges { numbers.subtract(try keptNumbers(of: epoch, in: range)) }
            if !numbers.isEmpty { found[epoch] = numbers }
        }
        return found
    }

    /// Deletes a batch of the records that are safe in each recorder and were published.
    /// - Returns: Whether there were any.
    mutating func deleteSafe(into carried: inout CommitJournal) throws(StoreError) -> Bool {
        let keys = try safeRecords(before: nil, ofFirst: Self.deletionBatch)
        if !keys.isEmpty { try deleteSafe(keys, into: &carried) }
        return !keys.isEmpty
    }

    /// Deletes safe records, and notes the receipts that permit it.
    private mutating func deleteSafe(_ keys: [RecordKey], into carried: inout CommitJournal) throws(StoreError) {
        guard let receipts = delivery?.receipts else { return }
        try delete(keys, into: &carried)
        for (recorder, revision) in receipts.revisions where receipts.deletionRevisions[recorder] != revision {
            try DeliveryTables.saveRevision(revision, of: recorder, in: connection)
            delivery?.receipts.deletionRevisions[recorder] = revision
        }
    }

    /// Returns records that are safe in each recorder and were published. The newest row is not among them: its number
    /// is the last one.
    ///
    /// - Parameters:
    ///   - cutoff: Records from this instant on are kept. Nil to return all that are safe.
    ///   - limit: The number of kept rows of an epoch that are read.
    private borrowing func safeRecords(before cutoff: Timestamp?, ofFirst limit: Int) throws(StoreError) -> [RecordKey]
    {
        guard let delivery else { return [] }
        var keys: [RecordKey] = []
        for epoch in delivery.receipts.epochs.sorted() {
            let published = delivery.published[epoch]
            let isPresent = epoch == counters.epochIdentity.epoch
            let safe = delivery.receipts.deletableThrough(in: epoch)
            let last = isPresent ? min(safe, counters.newestSeq - 1) : safe
            var read = 0
            try forEachKept(of: epoch) { seq, instant in
                guard seq <= last, read < limit else { return false }
                read += 1
                let isOld = cutoff.map { instant < $0 } ?? true
                if isOld, published.contains(seq) { keys.append(RecordKey(epoch: epoch, seq: seq)) }
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
            try append(record, into: &carried)
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
