import OdographWire

/// A receipt and its recorder. For each number of this device it states that the recorder's database covers it, that
/// the database misses it, or nothing.
package struct RecorderReceipt: Hashable, Sendable {
    /// The name of the recorder.
    package var recorder: String
    /// The message that the recorder has published.
    package var receipt: Receipt

    /// Creates a receipt of a recorder.
    package init(recorder: String, receipt: Receipt) {
        self.recorder = recorder
        self.receipt = receipt
    }

    /// Returns the statement about an epoch; nil for none. A receipt has at most 64 of them.
    func statement(about epoch: Int64) -> Receipt.Epoch? { receipt.epochs.first { $0.epoch == epoch } }

    /// Returns the missing ones of the numbers from 1 to `last`.
    func missing(in epoch: Int64, through last: Int64) -> NumberSet {
        guard let known = statement(about: epoch) else {
            return receipt.isPartial ? NumberSet() : NumberSet(through: last)
        }
        var missing = NumberSet(known.missing)
        if !known.isPartial, last > known.through { missing.insert(known.through + 1...last) }
        return missing.intersection(NumberSet(through: last))
    }

    /// Returns the numbers that the database covers.
    func covered(in epoch: Int64) -> NumberSet {
        guard let known = statement(about: epoch) else { return NumberSet() }
        return NumberSet(through: known.through).subtracting(NumberSet(known.missing))
    }
}
