import CivilTime

extension Timestamp {
    /// Before everything that is recorded. Not the least that can be written, so that it can be reckoned with.
    static let earliest = Timestamp(millisecondsSinceEpoch: .min / 4)
    /// After everything that is recorded.
    static let latest = Timestamp(millisecondsSinceEpoch: .max / 4)
}
