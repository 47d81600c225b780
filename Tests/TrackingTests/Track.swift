import OdographHarness
import OdographCivilTime
import OdographGeodesy

@testable import OdographTracking
import OdographModel

/// The fixes of a track, built segment by segment.
struct Track {
    private(set) var fixes: [Fix] = []
    private var coordinate: Coordinate
    private var time: Timestamp

    init(latitudeDegrees: Double = 40.4168, longitudeDegrees: Double = -3.7038, start: String = "2026-11-21T09:00:00Z")
    {
        coordinate = Coordinate(latitudeDegrees: latitudeDegrees, longitudeDegrees: longitudeDegrees) ?? .gulf
        time = Timestamp(iso8601: start) ?? Timestamp(millisecondsSinceEpoch: 0)
    }

    /// Returns two drives of five minutes with something between them, and a long stop before and after.
    static func drive(
        metersPerSecond speed: Double = 12, every interval: Double = 1, halt: (inout Track) -> Void
    ) -> Track {
        var track = Track()
        track.stand(seconds: 600, every: interval)
        track.go(seconds: 300, metersPerSecond: speed, every: interval)
        halt(&track)
        track.go(seconds: 300, metersPerSecond: speed, every: interval)
        track.stand(seconds: 900, every: interval)
        return track
    }

    /// Returns two drives of 3.6 km with a halt between them, and a long stop before and after.
    static func halting(seconds: Double) -> Track {
        drive { $0.stand(seconds: seconds) }
    }

    /// Returns a long stop, a walk that is published as a provisional departure, the way back and another stop.
    static func turningBack() -> Track {
        var track = Track()
        track.stand(seconds: 600)
        for heading in [90.0, 270] { track.go(seconds: 26, metersPerSecond: 1.3, headingDegrees: heading) }
        track.stand(seconds: 900)
        return track
    }

    /// The position of the last fix.
    var end: Coordinate { coordinate }
    /// The time of the next fix.
    var now: Timestamp { time }

    /// Returns the reading of right clocks at a time after ``now``.
    func moment(after seconds: Double = 0) -> ClockReading { ClockReading(replayed: time.advanced(bySeconds: seconds)) }

    /// Adds fixes at a constant speed and heading.
    mutating func go(
        seconds: Double, metersPerSecond speed: Double, headingDegrees heading: Double = 90, every interval: Double = 1,
        accuracyMeters: Double? = 4, reportsSpeed: Bool = true
    ) {
        var elapsed = 0.0
        while elapsed < seconds {
            add(
                coordinate, accuracyMeters: accuracyMeters, speed: reportsSpeed ? speed : nil,
                heading: reportsSpeed && speed > 0 ? heading : nil)
            coordinate = coordinate.destination(headingDegrees: heading, distanceMeters: speed * interval)
            time = time.advanced(bySeconds: interval)
            elapsed += interval
        }
    }

    mutating func stand(seconds: Double, every interval: Double = 1) {
        go(seconds: seconds, metersPerSecond: 0, every: interval)
    }

    /// Continues at another place.
    mutating func move(to place: Coordinate) { coordinate = place }

    /// Moves east without a fix, in no time.
    mutating func move(meters: Double) {
        coordinate = coordinate.destination(headingDegrees: 90, distanceMeters: meters)
    }

    /// Advances the time without a fix.
    mutating func pause(seconds: Double) {
        time = time.advanced(bySeconds: seconds)
    }

    mutating func add(
        _ coordinate: Coordinate, accuracyMeters: Double? = 4, speed: Double? = nil, heading: Double? = nil
    ) {
        fixes.append(
            Fix(
                timestamp: time, received: ClockReading(replayed: time), coordinate: coordinate,
                accuracyMeters: accuracyMeters, speedMetersPerSecond: speed, headingDegrees: heading))
    }
}

extension Coordinate {
    /// 0/0, for a literal that cannot fail.
    static let gulf = Coordinate(latitudeDegrees: 0, longitudeDegrees: 0).unsafelyUnwrapped
}

extension TrackingConfiguration {
    /// A configuration with tracking turned off.
    static var off: TrackingConfiguration {
        var configuration = TrackingConfiguration()
        configuration.isEnabled = false
        return configuration
    }
}

extension Tracker {
    /// Handles fixes and returns the location records.
    mutating func locations(from fixes: [Fix]) -> [TrackedLocation] {
        fixes.flatMap { handle(.fix($0)) }.compactMap(\.location)
    }
}
