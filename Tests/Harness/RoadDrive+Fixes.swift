import OdographCivilTime
import OdographModel
import OdographTracking

extension RoadDrive {
    /// Returns the receiver's fixes at an interval.
    /// - Parameters:
    ///   - seconds: The interval, a multiple of 0.1.
    ///   - offset: The time of the first fix, seconds.
    public func fixes(everySeconds seconds: Double, after offset: Double = 0) -> [Fix] {
        let start = Timestamp(iso8601: "2026-11-21T09:00:00Z") ?? Timestamp(millisecondsSinceEpoch: 0)
        return sights(everySeconds: seconds, after: offset).map { sight in
            let time = start.advanced(bySeconds: sight.seconds)
            return Fix(
                timestamp: time, received: ClockReading(replayed: time), coordinate: sight.coordinate,
                accuracyMeters: accuracyMeters, speedMetersPerSecond: sight.speedMetersPerSecond,
                headingDegrees: sight.headingDegrees)
        }
    }

    /// Returns the true distance from the first to the last of those fixes, metres.
    public func trueMeters(everySeconds seconds: Double, after offset: Double = 0) -> Double {
        let sights = sights(everySeconds: seconds, after: offset)
        return (sights.last?.trueMeters ?? 0) - (sights.first?.trueMeters ?? 0)
    }
}
