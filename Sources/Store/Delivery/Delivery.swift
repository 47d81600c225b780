import OdographCivilTime
import OdographSQLite
import OdographWire

/// Delivery with receipts: what the recorders and the broker have stated about the records of an open database, and
/// what follows from it. ``Database`` owns this value, and changes the rows.
struct Delivery {
    let policy: DeliveryPolicy
    var receipts: ReceiptsInForce
    /// The records that may be deleted by a receipt.
    var published = PublishedNumbers()
    /// The counts of conflicts in receipts.
    private var conflicts = KnownConflicts()
    /// The epochs of other machines in receipts.
    private var foreignEpochs = ForeignEpochs()
    /// The numbers that the kept given-up records name, by the record.
    private(set) var named: [RecordKey: [GivenUpNumbers]]
    /// The number of given-up records that were inserted since the database was opened.
    private(set) var insertedCount = 0
    /// The records of earlier epochs that a recorder does not cover, as they were counted last.
    private var uncovered: Uncovered?

    /// Reads what a database has saved of it.
    ///
    /// - Parameter receipts: The receipts in force so far.
    init(
        _ policy: DeliveryPolicy, keeping receipts: ReceiptsInForce?, from connection: borrowing SQLiteConnection,
        _ documents: borrowing MetadataTables
    ) throws(StoreError) {
        self.policy = policy
        self.receipts = ReceiptsInForce(recorders: policy.recorders, keeping: receipts)
        self.receipts.deletionRevisions = try DeliveryTables.revisions(connection)
        named = try DeliveryTables.givenUpPayloads(connection).mapValues(policy.codec.decode)
        published = PublishedNumbers(document: try documents.document(PublishedNumbers.documentName) ?? [])
        conflicts = KnownConflicts(document: try documents.document(KnownConflicts.documentName) ?? [])
        foreignEpochs = ForeignEpochs(document: try documents.document(ForeignEpochs.documentName) ?? [])
    }

    /// The documents in which it is saved.
    var documents: [(name: String, bytes: [UInt8])] {
        [
            (PublishedNumbers.documentName, published.document), (KnownConflicts.documentName, conflicts.document),
            (ForeignEpochs.documentName, foreignEpochs.document),
        ]
    }

    /// Notes what an accepted receipt states about other machines. Returns it; conflicts and foreign epochs only once.
    ///
    /// - Parameters:
    ///   - ownEpochs: The last number that this device can have made, of each of its epochs.
    ///   - present: The present epoch.
    ///   - knowsEpochs: Whether the earlier epochs of this device are known. Otherwise each other epoch can be its own.
    mutating func note(
        _ receipt: RecorderReceipt, ownEpochs: [Int64: Int64], present: Int64, knowsEpochs: Bool
    ) -> ReceiptFindings {
        let foreign = receipts.epochs.filter {
            (knowsEpochs || $0 == present) && receipts.greatestNumber(in: $0) > ownEpochs[$0] ?? -1
        }
        return ReceiptFindings(
            isAccepted: true, foreignEpochs: foreignEpochs.note(foreign).subtracting([present]),
            foreignNumber: foreign.contains(present) ? receipts.greatestNumber(in: present) : nil,
            hasNewConflicts: conflicts.note(receipt.receipt.conflicts, of: receipt.recorder))
    }

    /// Records of earlier epochs that a recorder does not cover.
    private struct Uncovered {
        /// The number of records.
        var count = 0
        /// The number of records of earlier epochs and the revisions of the receipts at the time of the count.
        var ofCount: Int
        var revisions: [String: Int64]
    }

    /// Returns how many records of earlier epochs a recorder does not cover. They are counted once for each receipt.
    ///
    /// - Parameters:
    ///   - count: The number of records of earlier epochs.
    ///   - forEachKey: Calls its argument with the key of each of them.
    mutating func uncoveredCount(
        of count: Int, forEachKey: ((RecordKey) -> Void) throws(StoreError) -> Void
    ) throws(StoreError) -> Int {
        let revisions = receipts.revisions
        if let uncovered, uncovered.ofCount == count, uncovered.revisions == revisions { return uncovered.count }
        var found = Uncovered(ofCount: count, revisions: revisions)
        var covered: [Int64: NumberSet] = [:]
        try forEachKey { key in
            let numbers = covered[key.epoch] ?? receipts.covered(in: key.epoch)
            covered[key.epoch] = numbers
            if !numbers.contains(key.seq) { found.count += 1 }
        }
        uncovered = found
        return found.count
    }

    /// Returns the numbers of an own epoch that a recorder misses and that no kept given-up record names.
    ///
    /// - Parameters:
    ///   - last: The last number of the epoch.
    ///   - isStated: Whether to leave out the numbers that a recorder does not know yet.
    func unnamed(in epoch: Int64, through last: Int64, isStated: Bool) -> NumberSet {
        let missing =
            isStated
            ? receipts.statedMissing(in: epoch, through: last) : receipts.missing(in: epoch, through: last)
        guard !missing.isEmpty else { return missing }
        let ofEpoch = named.values.joined().lazy.filter { $0.epoch == epoch }.map(\.numbers)
        return missing.subtracting(NumberSet(ofEpoch))
    }

    /// Returns the record with a number that names other numbers.
    func givenUpRecord(as identity: RecordIdentity, naming part: [GivenUpNumbers], at now: Timestamp) -> StoredRecord {
        StoredRecord(
            epoch: identity.epoch, seq: identity.seq, kind: .givenUp, timestamp: now,
            payload: policy.codec.encode(identity, now, part).bytes)
    }

    /// Notes the numbers that a stored given-up record names.
    mutating func noteNames(_ part: [GivenUpNumbers], of key: RecordKey) {
        named[key] = part
        insertedCount += 1
    }

    /// Notes the new number of a record that may name other numbers.
    mutating func rename(_ record: RecordKey, to other: RecordKey) {
        if let names = named.removeValue(forKey: record) { named[other] = names }
    }

    /// The rows that take the place of records that are given up.
    struct Statement {
        /// The numbers to name.
        var list: GivenUpList
        /// The earlier given-up records that are deleted too, because the list has what they name.
        var joined: [RecordKey]
    }

    /// Returns what takes the place of records, and of what they named. Earlier given-up records are joined to it as
    /// long as they fit into one, the newest first.
    func statement(givingUp keys: [RecordKey], because reason: LedgerEntry.Reason) -> Statement {
        func add(_ key: RecordKey, to list: inout GivenUpList) {
            list.insert(key, reason)
            for range in named[key] ?? [] { list.insert(range) }
        }
        var statement = Statement(list: GivenUpList(), joined: [])
        for key in keys { add(key, to: &statement.list) }
        let givenUp = Set(keys)
        for key in named.keys.sorted(by: >) where !givenUp.contains(key) {
            var list = statement.list
            add(key, to: &list)
            guard !list.isLong else { break }
            statement.list = list
            statement.joined.append(key)
        }
        return statement
    }

    /// Forgets the names of deleted records.
    mutating func forgetNames(of keys: [RecordKey]) {
        guard !named.isEmpty else { return }
        for key in keys { named[key] = nil }
    }
}
