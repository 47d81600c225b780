import OdographWire

/// The newest receipt of each configured recorder, and what these receipts permit and demand.
///
/// The rules are in the article Protocol, their reasons in Tests/DeliveryModel/Design.md. The newest receipt of a
/// recorder replaces the former one completely.
package struct ReceiptsInForce: Hashable, Sendable {
    /// The names of the recorders whose receipts count.
    package let recorders: [String]
    /// The receipts, by the name of the recorder.
    package private(set) var receipts: [String: RecorderReceipt] = [:]
    /// The revisions of the receipts by which rows were last deleted. They are saved with the deletion.
    var deletionRevisions: [String: Int64] = [:]

    /// Creates the set without a receipt.
    package init(recorders: [String]) { self.recorders = recorders }

    /// Creates the set with those receipts of another one that count.
    init(recorders: [String], keeping others: ReceiptsInForce?) {
        self.recorders = recorders
        receipts = (others?.receipts ?? [:]).filter { recorders.contains($0.key) }
    }

    /// Takes a receipt, unless its recorder is not configured or it is older than a known one.
    /// - Returns: Whether it is now in force.
    mutating func accept(_ receipt: RecorderReceipt) -> Bool {
        let revision = receipt.receipt.revision
        guard recorders.contains(receipt.recorder), revision > receipts[receipt.recorder]?.receipt.revision ?? -1,
            revision >= deletionRevisions[receipt.recorder] ?? 0
        else { return false }
        receipts[receipt.recorder] = receipt
        return true
    }

    /// The receipts of all configured recorders; nil while one is missing.
    private var all: [RecorderReceipt]? {
        let known = recorders.compactMap { receipts[$0] }
        return known.count == recorders.count ? known : nil
    }

    /// Returns the number up to which the records of an epoch may be deleted: they are safe in each recorder. 0 for
    /// none.
    package func deletableThrough(in epoch: Int64) -> Int64 {
        all?.map { $0.statement(about: epoch)?.safe ?? 0 }.min() ?? 0
    }

    /// Returns the numbers that each recorder covers: their records need not be sent again.
    package func covered(in epoch: Int64) -> NumberSet {
        guard let all, let first = all.first else { return NumberSet() }
        return all.dropFirst().reduce(first.covered(in: epoch)) { $0.intersection($1.covered(in: epoch)) }
    }

    /// Returns the numbers that at least one recorder names as missing, without those above its last stated number.
    package func namedMissing(in epoch: Int64) -> NumberSet {
        receipts.values.reduce(NumberSet()) { $0.union(NumberSet($1.statement(about: epoch)?.missing ?? [])) }
    }

    /// Returns the numbers from 1 to `last` that at least one recorder demands: it misses them, or has sent no receipt.
    package func demanded(in epoch: Int64, through last: Int64) -> NumberSet {
        all == nil ? NumberSet(through: last) : missing(in: epoch, through: last)
    }

    /// Whether each configured recorder has sent a receipt.
    package var isComplete: Bool { all != nil }

    /// Returns the numbers from 1 to `last` that at least one recorder misses.
    package func missing(in epoch: Int64, through last: Int64) -> NumberSet {
        receipts.values.reduce(NumberSet()) { $0.union($1.missing(in: epoch, through: last)) }
    }

    /// Returns those receipts that are newer than a revision of their recorder. A recorder without one has none.
    package func newer(than revisions: [String: Int64]) -> ReceiptsInForce {
        var newer = self
        newer.receipts = receipts.filter { $0.value.receipt.revision > revisions[$0.key] ?? .max }
        return newer
    }

    /// Returns the numbers from 1 to `last` that at least one recorder misses, without those above its last stated one.
    func statedMissing(in epoch: Int64, through last: Int64) -> NumberSet {
        receipts.values.reduce(NumberSet()) {
            $0.union($1.missing(in: epoch, through: min(last, $1.statement(about: epoch)?.through ?? 0)))
        }
    }

    /// The revisions of the receipts in force, which a deletion depends on.
    package var revisions: [String: Int64] { receipts.mapValues(\.receipt.revision) }

    /// The epochs that a receipt names.
    var epochs: Set<Int64> { receipts.values.reduce(into: []) { $0.formUnion($1.receipt.epochs.map(\.epoch)) } }

    /// Returns the greatest number of an epoch that a receipt states; 0 for none.
    func greatestNumber(in epoch: Int64) -> Int64 {
        receipts.values.compactMap { $0.statement(about: epoch)?.through }.max() ?? 0
    }
}
