import CivilTime

extension Timestamp {
    /// Before everything that is recorded. Not the least that can be written, so that it can be reckoned with.
    package static let earliest = Timestamp(millisecondsSinceEpoch: .min / 4)
    /// After everything that is recorded.
    package static let latest = Timestamp(millisecondsSinceEpoch: .max / 4)
}
