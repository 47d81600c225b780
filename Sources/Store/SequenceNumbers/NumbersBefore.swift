import OdographCivilTime
import OdographWire

/// The numbers before the next record that is stored.
struct NumbersBefore {
    /// The last of them.
    let through: Int64
    /// The ledger entries of records that were dropped before they were stored.
    let entries: [LedgerEntry]
    /// The numbers that the given-up record ``through`` names. With delivery to the broker, and if there is nothing to
    /// name, there is no such record.
    let names: [GivenUpNumbers]

    /// - Parameters:
    ///   - dropped: The number of records of each kind that were dropped before they were stored. They get the next
    ///     numbers.
    ///   - isNamed: Whether a given-up record names the numbers, as it does with receipts.
    init(_ counters: StoreCounters, dropped: [RecordKind: Int], isNamed: Bool, at now: Timestamp) {
        let epoch = counters.epochIdentity.epoch
        var last = counters.usedThroughSeq
        var entries: [LedgerEntry] = []
        for kind in RecordKind.allCases {
            guard let count = dropped[kind], count > 0 else { continue }
            entries.append(
                LedgerEntry(
                    epoch: epoch, fromSeq: last + 1, toSeq: last + Int64(count), count: count, kind: kind,
                    reason: .notStored, at: now))
            last += Int64(count)
        }
        self.entries = entries
        let all = isNamed ? (counters.pendingGap.map { [$0] } ?? []) + entries : []
        names = all.map {
            GivenUpNumbers(epoch: $0.epoch, numbers: $0.fromSeq...$0.toSeq, reason: .ledger($0.reason))
        }
        through = names.isEmpty ? last : last + 1
    }
}
