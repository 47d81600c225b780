import OdographWire

/// The state of delivery with receipts in an open database.
struct DeliveryState {
    var policy: DeliveryPolicy
    var receipts: ReceiptsInForce
    /// The records that may be deleted by a receipt.
    var published = PublishedNumbers()
    /// The counts of conflicts in receipts.
    var conflicts = KnownConflicts()
    /// The epochs of other machines in receipts.
    var foreignEpochs = ForeignEpochs()
    /// The numbers that the kept given-up records name, by the record.
    var named: [RecordKey: [GivenUpNumbers]] = [:]
    /// The number of given-up records that were inserted since the database was opened.
    var insertedCount = 0
    /// The records of earlier epochs that a recorder does not cover, as they were counted last.
    var uncovered: Uncovered?

    /// Records of earlier epochs that a recorder does not cover.
    struct Uncovered {
        /// The number of records.
        var count = 0
        /// The number of records of earlier epochs and the revisions of the receipts at the time of the count.
        var ofCount = 0
        var revisions: [String: Int64] = [:]
    }

    /// Returns all numbers of an epoch that kept given-up records name.
    func named(in epoch: Int64) -> NumberSet {
        NumberSet(named.values.joined().lazy.filter { $0.epoch == epoch }.map(\.numbers))
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
