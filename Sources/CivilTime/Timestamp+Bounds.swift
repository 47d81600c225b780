extension Timestamp {
    /// An instant before all records. Not the least value, so that arithmetic with it does not overflow.
    package static let earliest = Timestamp(millisecondsSinceEpoch: .min / 4)
    /// An instant after all records.
    package static let latest = Timestamp(millisecondsSinceEpoch: .max / 4)
}
