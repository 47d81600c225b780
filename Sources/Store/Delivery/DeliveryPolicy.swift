import OdographCivilTime
import OdographWire

/// The settings of delivery with receipts: a record is deleted when each of the stores has it safely.
public struct DeliveryPolicy: Sendable {
    /// The names of the stores whose receipts count.
    public var stores: [String]
    /// The time for which a record is kept at least while there is room, seconds.
    public var keepSeconds: Double
    /// The conversion of given-up records.
    public var codec: GivenUpCodec

    /// Creates a policy.
    public init(stores: [String], keepSeconds: Double, codec: GivenUpCodec) {
        self.stores = stores
        self.keepSeconds = keepSeconds
        self.codec = codec
    }
}

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
    /// The records of earlier epochs that a store does not cover, as they were counted last.
    var uncovered: Uncovered?

    /// Records of earlier epochs that a store does not cover.
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
}

/// The findings about a receipt.
public struct ReceiptFindings: Hashable, Sendable {
    /// Whether the receipt is in force; false for an old one.
    public var isAccepted = false
    /// The epochs, without the present one, of which the receipts state numbers that this device has not made: it does
    /// not know the epoch, or it has made fewer numbers of it. Each epoch is here once, also over restarts.
    public var foreignEpochs: Set<Int64> = []
    /// The greatest number of the present epoch in the receipts, if it is above all numbers of this device; nil
    /// otherwise. Then another machine uses this epoch, or the whole disk was restored.
    public var foreignNumber: Int64?
    /// Whether a store has new conflicts: records of this device with the number of another record. Then another
    /// machine uses the present epoch.
    public var hasNewConflicts = false
}
