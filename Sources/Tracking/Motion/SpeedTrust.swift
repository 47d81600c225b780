import Geodesy

/// Whether a way between epochs is one, as far as the speeds told say.
///
/// A way that they do not explain is a hop of the position. But one that goes on and on is a movement: then it is the speeds
/// that hang, and they say nothing against a way until they have told of one themselves.
struct SpeedTrust: Equatable, Sendable, Codable {
    /// Where the ways began, one after the other until now, that are none by the speeds.
    private var unexplainedFrom: Coordinate?
    /// Whether the speeds hang.
    private var isLost = false

    /// Takes the way to the next epoch.
    /// - Returns: whether it is believed.
    mutating func believes(_ made: EpochCenter.Speed, from start: EpochCenter, to end: EpochCenter) -> Bool {
        let isExplained = made.metersPerSecond <= end.fastestMetersPerSecond(from: start, made: made)
        guard !isExplained else {
            unexplainedFrom = nil
            if (end.toldMetersPerSecond ?? 0) > FixNoise.heldMetersPerSecond { isLost = false }
            return true
        }
        let from = unexplainedFrom ?? start.coordinate
        unexplainedFrom = from
        isLost =
            isLost || from.distanceMeters(to: end.coordinate) > FixNoise.farthestHopMeters + end.accuracyMeters
        return isLost
    }
}
