/// Which record: unique over all records that a device ever makes, ordered as they were made.
public struct RecordKey: Hashable, Comparable, Sendable {
    /// The database that the record was made in.
    public var epoch: Int64
    /// The record's number in it, from 1.
    public var seq: Int64

    /// - Parameters: as the properties of the same names.
    public init(epoch: Int64, seq: Int64) {
        self.epoch = epoch
        self.seq = seq
    }

    /// As the records were made: by epoch, then by number.
    public static func < (left: RecordKey, right: RecordKey) -> Bool {
        (left.epoch, left.seq) < (right.epoch, right.seq)
    }
}
