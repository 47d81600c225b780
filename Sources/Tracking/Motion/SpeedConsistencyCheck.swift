import OdographGeodesy

/// Checks whether the displacement between windows agrees with the reported speeds.
///
/// A displacement that the speeds do not explain is a position jump, unless it continues beyond the largest multipath
/// jump. Then it is a movement with frozen speeds: they reject no displacement until one of them is above the
/// static-hold limit and explains a displacement.
struct SpeedConsistencyCheck: Equatable, Sendable, Codable {
    /// The start of the consecutive displacements that the speeds do not explain.
    private var unexplainedFrom: Coordinate?
    /// Whether the reported speeds are frozen.
    private var areSpeedsFrozen = false

    /// Takes the displacement to the next window.
    /// - Returns: whether it counts as movement.
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
