import CivilTime
import Geodesy

/// A believed position, as the geofences see it.
struct GeofenceSighting: Equatable, Sendable {
    /// The time of the fix.
    var time: Timestamp
    /// Where the fix is.
    var place: Coordinate
    /// The fix's 95 % radius, metres.
    var accuracyMeters: Double
    /// Speed over ground, m/s; nil where the receiver does not say.
    var speedMetersPerSecond: Double?
    /// Where the vehicle stands, as far as many fixes know it better than this one; nil where it moves.
    var stand: Coordinate?
    /// Whether the fix is where the way from the one before can have led.
    var isContinuous: Bool

    /// The place that counts.
    var evidence: Coordinate { stand ?? place }

    init(_ fix: Fix, stand: Coordinate?, isContinuous: Bool) {
        time = fix.timestamp
        place = fix.coordinate
        // What is likely, not the worst case: where nothing is said, most receivers are outdoors.
        accuracyMeters = fix.accuracyMeters ?? FixNoise.openSkyAccuracyMeters
        speedMetersPerSecond = fix.speedMetersPerSecond
        self.stand = stand
        self.isContinuous = isContinuous
    }
}

/// The last position that the geofences saw.
struct LastSighting: Equatable, Sendable, Codable {
    var time: Timestamp
    var place: Coordinate
    /// The place that counted.
    var evidence: Coordinate
    var accuracyMeters: Double
    var speedMetersPerSecond: Double?
    /// Whether it stood.
    var isStanding: Bool

    init(_ sighting: GeofenceSighting) {
        time = sighting.time
        place = sighting.place
        evidence = sighting.evidence
        accuracyMeters = sighting.accuracyMeters
        speedMetersPerSecond = sighting.speedMetersPerSecond
        isStanding = sighting.stand != nil
    }
}

/// How often fixes come, from the last three intervals: their median does not mind one silence.
struct FixCadence: Equatable, Sendable, Codable {
    /// From here on fixes come seldom, seconds: two that agree have taken longer than any three at full rate.
    private static let seldomSeconds = 10.0

    private var newest = 1.0
    private var middle = 1.0
    private var oldest = 1.0

    mutating func note(intervalSeconds: Double) {
        (oldest, middle, newest) = (middle, newest, intervalSeconds)
    }

    /// The usual interval, seconds; 1 until more is known.
    var seconds: Double { max(min(newest, middle), min(max(newest, middle), oldest)) }

    var isSeldom: Bool { seconds >= Self.seldomSeconds }

    /// A longer silence than this is a gap: nobody knows the way through it.
    var gapSeconds: Double { max(3 * seconds, Self.seldomSeconds) }
}
