import CivilTime
import Geodesy
import Harness

@testable import Tracking

extension RoadDrive {
    /// What of it is asked for, as the receiver's fixes.
    func fixes(everySeconds seconds: Double, after offset: Double = 0) -> [Fix] {
        let start = Timestamp(iso8601: "2026-11-21T09:00:00Z") ?? Timestamp(millisecondsSinceEpoch: 0)
        return sights(everySeconds: seconds, after: offset).map { sight in
            let time = start.advanced(bySeconds: sight.seconds)
            return Fix(
                timestamp: time, received: Moment(replayed: time), coordinate: sight.coordinate,
                accuracyMeters: accuracyMeters, speedMetersPerSecond: sight.speedMetersPerSecond,
                headingDegrees: sight.headingDegrees)
        }
    }

    /// How far it went in truth from the first to the last of those, metres.
    func trueMeters(everySeconds seconds: Double, after offset: Double = 0) -> Double {
        let sights = sights(everySeconds: seconds, after: offset)
        return (sights.last?.trueMeters ?? 0) - (sights.first?.trueMeters ?? 0)
    }

    static let town = Coordinate(latitudeDegrees: 48.2, longitudeDegrees: 16.37) ?? .gulf
}
