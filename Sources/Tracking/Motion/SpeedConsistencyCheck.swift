import Geodesy

/// Whether a way between epochs is one, as far as the speeds told say.
///
/// A way that they do not explain is a hop of the position. But one that goes on and on is a movement: then it is the speeds
/// that hang, and they say nothing against a way until they have told of one themselves.
struct SpeedConsistencyCheck: Equatable, Sendable, Codable {
    /// Where the ways began, one after the other until now, that are none by the speeds.
    private var unexplainedFrom: Coordinate?
    /// Whether the speeds hang.
    private var areSpeedsFrozen = false

    /// Takes the way to the next epoch.
    /// - Returns: whether it is believed.
    mutating func accept(_ made: WindowMean.Speed, from start: WindowMean, to end: WindowMean) -> Bool {
        let isExplained = made.metersPerSecond <= end.maximumMetersPerSecond(from: start, displacementSpeed: made)
        guard !isExplained else {
            unexplainedFrom = nil
            if (end.reportedMetersPerSecond ?? 0) > ReceiverErrorModel.staticHoldMetersPerSecond {
                areSpeedsFrozen = false
            }
            return true
        }
        let from = unexplainedFrom ?? start.coordinate
        unexplainedFrom = from
        areSpeedsFrozen =
            areSpeedsFrozen
            || from.distanceMeters(to: end.coordinate) > ReceiverErrorModel.maximumMultipathJumpMeters
                + end.accuracyMeters
        return areSpeedsFrozen
    }
}
