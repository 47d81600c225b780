/// The statement of one database about the records of this device. For each number it states that the database covers
/// it, that the database misses it, or nothing.
public struct RecorderReceipt: Hashable, Sendable {
    /// The statement about one epoch.
    public struct Epoch: Hashable, Sendable {
        /// The last number that the statement is about.
        public var through: Int64
        /// The numbers up to ``through`` that are not covered, ascending.
        public var missing: [ClosedRange<Int64>]
        /// The number up to which all are covered, also by each backup that can be restored.
        public var safe: Int64
        /// Whether nothing is stated about the numbers above ``through``; otherwise they are missing.
        public var isPartial: Bool

        /// Creates a statement.
        public init(through: Int64, missing: [ClosedRange<Int64>] = [], safe: Int64 = 0, isPartial: Bool = false) {
            self.through = through
            self.missing = missing
            self.safe = safe
            self.isPartial = isPartial
        }
    }

    /// The name of the recorder.
    public var recorder: String
    /// The name of its database.
    public var databaseID: String
    /// The number of the receipt; it increases with each receipt of the recorder.
    public var revision: Int64
    /// The statements about the epochs that the database knows.
    public var epochs: [Int64: Epoch]
    /// Whether nothing is stated about an epoch that is not in ``epochs``; otherwise all its numbers are missing.
    public var isPartial: Bool
    /// The count of the records of this device that have the number of another record.
    public var conflicts: Int

    /// Creates a receipt.
    public init(
        recorder: String, databaseID: String, revision: Int64, epochs: [Int64: Epoch], isPartial: Bool = false,
        conflicts: Int = 0
    ) {
        self.recorder = recorder
        self.databaseID = databaseID
        self.revision = revision
        self.epochs = epochs
        self.isPartial = isPartial
        self.conflicts = conflicts
    }

    /// Returns the missing ones of the numbers from 1 to `last`.
    func missing(in epoch: Int64, through last: Int64) -> NumberSet {
        guard let known = epochs[epoch] else { return isPartial ? NumberSet() : NumberSet(through: last) }
        var missing = NumberSet(known.missing)
        if !known.isPartial, last > known.through { missing.insert(known.through + 1...last) }
        return missing.intersection(NumberSet(through: last))
    }

    /// Returns the numbers that the database covers.
    func covered(in epoch: Int64) -> NumberSet {
        guard let known = epochs[epoch] else { return NumberSet() }
        return NumberSet(through: known.through).subtracting(NumberSet(known.missing))
    }
}
