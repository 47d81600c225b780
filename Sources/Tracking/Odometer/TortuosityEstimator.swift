import OdographCivilTime
import OdographGeodesy
import OdographModel

/// Measures the tortuosity of roads from frequent fixes, for use when fixes become sparse.
struct TortuosityEstimator: Equatable, Sendable, Codable {
    /// The time between points whose straight line is compared with the distance, seconds: as between sparse fixes.
    static let spanSeconds = 60.0

    private var start: Fix?
    private var startMeters = 0.0

    /// Takes the next fix of an uninterrupted drive and the odometer's total there.
    /// - Returns: the evidence if a stretch is complete; else nil.
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
            straightMeters: straight, detourMeters: way - straight, seconds: seconds, lineDegrees: nil)
    }
}
