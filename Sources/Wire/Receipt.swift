/// The payload of a retained receipt topic: the records of one device that a database covers.
///
/// A number is covered if the database has its record, or has a given-up record that names it. A receipt replaces an
/// earlier receipt of the same recorder completely: of the same database one with a smaller ``revision``.
public struct Receipt: Hashable, Sendable {
    /// The random name of the database.
    public var databaseID: String
    /// The number of the receipt; it increases with each receipt of the database and the device.
    public var revision: Int64
    /// The longest time between two receipts while records arrive, seconds, from 1.
    public var interval: Int
    /// The epochs that the database knows, ascending; empty if it has nothing of the device.
    public var epochs: [Epoch]
    /// Whether there are more epochs. If false, the database has nothing of an epoch that is not in ``epochs``.
    public var isPartial: Bool
    /// The count of conflicts: records of this device with the number of another record.
    public var conflicts: Int

    /// Creates a receipt from its parts.
    public init(
        databaseID: String, revision: Int64, interval: Int, epochs: [Epoch], isPartial: Bool = false, conflicts: Int = 0
    ) {
        self.databaseID = databaseID
        self.revision = revision
        self.interval = interval
        self.epochs = epochs
        self.isPartial = isPartial
        self.conflicts = conflicts
    }

    /// The greatest number of missing ranges in an epoch.
    public static let maximumMissingRanges = 64

    /// The statement of a receipt about one epoch.
    public struct Epoch: Hashable, Sendable {
        /// The epoch.
        public var epoch: Int64
        /// The last number that this statement is about; 0 if there is none.
        public var through: Int64
        /// The numbers up to ``through`` that are not covered: ascending, separate ranges from 1.
        public var missing: [ClosedRange<Int64>]
        /// The number up to which all are covered, also by each backup that can be restored; 0 if there is none.
        public var safe: Int64
        /// Whether there are more missing ranges. If true, the receipt states nothing about numbers above ``through``;
        /// otherwise they are missing.
        public var isPartial: Bool

        /// Creates a statement from its parts.
        public init(
            epoch: Int64, through: Int64, missing: [ClosedRange<Int64>] = [], safe: Int64 = 0, isPartial: Bool = false
        ) {
            self.epoch = epoch
            self.through = through
            self.missing = missing
            self.safe = safe
            self.isPartial = isPartial
        }
    }
}
