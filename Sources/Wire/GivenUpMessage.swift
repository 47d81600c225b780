import OdographCivilTime

/// The payload of the channel `given_up`: a record that names numbers for which no record comes.
public struct GivenUpMessage: Hashable, Sendable, Codable {
    /// The device's name.
    public var deviceID: String
    /// The record.
    public var givenUp: GivenUpRecord

    /// Creates a message.
    public init(deviceID: String, givenUp: GivenUpRecord) {
        self.deviceID = deviceID
        self.givenUp = givenUp
    }

    private enum CodingKeys: String, CodingKey {
        case deviceID = "device_id"
        case givenUp = "given_up"
    }
}

/// A record that names numbers for which no record comes. It has a number of its own.
public struct GivenUpRecord: Hashable, Sendable, Codable {
    /// The unique identifier of this record, the same in every redelivery.
    public var uuid: String?
    /// The epoch of `seq`.
    public var epoch: Int64?
    /// The record's number, over all kinds of records of the device.
    public var seq: Int64?
    /// The time at which the record was made.
    public var timestamp: Timestamp
    /// The numbers: ascending by epoch and number, without overlap.
    public var ranges: [GivenUpRange]

    /// Creates a record from its parts.
    public init(uuid: String?, epoch: Int64?, seq: Int64?, timestamp: Timestamp, ranges: [GivenUpRange]) {
        self.uuid = uuid
        self.epoch = epoch
        self.seq = seq
        self.timestamp = timestamp
        self.ranges = ranges
    }
}

/// A range of numbers for which no record comes. Each number in it is given up.
public struct GivenUpRange: Hashable, Sendable, Codable {
    /// The epoch of the numbers.
    public var epoch: Int64
    /// The first number.
    public var from: Int64
    /// The last number.
    public var to: Int64
    /// The reason, one of the ledger's or ``LedgerRange/Reason/delivered``.
    public var reason: LedgerRange.Reason

    /// Creates a range from its parts.
    public init(epoch: Int64, from: Int64, to: Int64, reason: LedgerRange.Reason) {
        self.epoch = epoch
        self.from = from
        self.to = to
        self.reason = reason
    }
}

extension LedgerRange.Reason {
    /// Only in given-up records: a receipt permitted the deletion of the records, but a database no longer has them.
    public static let delivered = Self(rawValue: "delivered")
}
