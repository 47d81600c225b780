/// The number of a record on its vehicle.
package struct RecordNumber: Hashable, Comparable, Sendable {
    /// The numbering that `seq` belongs to.
    package var epoch: Int64
    /// The number within the epoch, from 1.
    package var seq: Int64

    /// - Parameters: As the properties of the same names.
    package init(epoch: Int64, seq: Int64) {
        self.epoch = epoch
        self.seq = seq
    }

    package static func < (first: RecordNumber, second: RecordNumber) -> Bool {
        (first.epoch, first.seq) < (second.epoch, second.seq)
    }
}
