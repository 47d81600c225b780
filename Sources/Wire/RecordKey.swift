/// The key of a record, unique among all records of a device.
public struct RecordKey: Hashable, Comparable, Sendable {
    /// The epoch in which the record was made.
    public var epoch: Int64
    /// The sequence number in the epoch, from 1.
    public var seq: Int64

    /// Creates a key.
    public init(epoch: Int64, seq: Int64) {
        self.epoch = epoch
        self.seq = seq
    }

    /// Orders by epoch, then by sequence number.
    public static func < (left: RecordKey, right: RecordKey) -> Bool {
        (left.epoch, left.seq) < (right.epoch, right.seq)
    }
}
