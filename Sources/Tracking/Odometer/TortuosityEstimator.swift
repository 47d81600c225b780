import CivilTime
import Geodesy

/// Measures how winding the way is where fixes come often, for when they do not.
struct TortuosityEstimator: Equatable, Sendable, Codable {
    /// How far apart the points are whose line is held against the way, seconds: as seldom as fixes usually come at all.
    private static let spanSeconds = 60.0

    private var start: Fix?
    private var startMeters = 0.0

    /// Takes the next fix of an unbroken drive, and the odometer's total there.
    /// - Returns: what was seen, where a stretch is complete.
    mutating func update(with fix: Fix, totalMeters: Double) -> Tortuosity.Sum? {
        guard let start else {
            self.start = fix
            startMeters = totalMeters
            return nil
        }
        let seconds = fix.timestamp.seconds(since: start.timestamp)
        guard seconds >= Self.spanSeconds else { return nil }
        let straight = start.coordinate.distanceMeters(to: fix.coordinate)
        let way = totalMeters - startMeters
        self.start = fix
        startMeters = totalMeters
        return Tortuosity.Sum(
            straightMeters: straight, detourMeters: max(way - straight, 0), seconds: seconds, lineDegrees: nil)
    }
}
