import CivilTime
import Geodesy
import OdographModel

/// A believed position, as the geofences see it.
struct GeofencePosition: Equatable, Sendable {
    /// The time of the fix.
    var time: Timestamp
    /// Where the fix is.
    var coordinate: Coordinate
    /// The fix's 95 % radius, metres.
    var accuracyMeters: Double
    /// Speed over ground, m/s; nil where the receiver does not say.
    var speedMetersPerSecond: Double?
    /// Where the vehicle stands, as far as many fixes know it better than this one; nil where it moves.
    var stationaryCoordinate: Coordinate?
    /// Whether the fix is where the way from the one before can have led.
    var isContinuous: Bool

    /// The place that counts.
    var effectiveCoordinate: Coordinate { stationaryCoordinate ?? coordinate }

    init(_ fix: Fix, stationaryCoordinate: Coordinate?, isContinuous: Bool) {
        time = fix.timestamp
        coordinate = fix.coordinate
        // What is likely, not the worst case: where nothing is said, most receivers are outdoors.
        accuracyMeters = fix.accuracyMeters ?? ReceiverErrorModel.openSkyAccuracyMeters
        speedMetersPerSecond = fix.speedMetersPerSecond
        self.stationaryCoordinate = stationaryCoordinate
        self.isContinuous = isContinuous
    }
}

/// The last position that the geofences saw.
struct LastGeofencePosition: Equatable, Sendable, Codable {
    var time: Timestamp
    var place: Coordinate
    /// The place that counted.
    var evidence: Coordinate
    var accuracyMeters: Double
    var speedMetersPerSecond: Double?
    /// Whether it stood.
    var isStanding: Bool

    init(_ sighting: GeofencePosition) {
        time = sighting.time
        place = sighting.coordinate
        evidence = sighting.effectiveCoordinate
        accuracyMeters = sighting.accuracyMeters
        speedMetersPerSecond = sighting.speedMetersPerSecond
        isStanding = sighting.stationaryCoordinate != nil
    }
}

/// How often fixes come, from the last three intervals: their median does not mind one silence.
struct FixCadence: Equatable, Sendable, Codable {
    /// From here on fixes come seldom, seconds: two that agree have taken longer than any three at full rate.
    private static let sparseThresholdSeconds = 10.0

    private var newest = 1.0
    private var middle = 1.0
    private var oldest = 1.0

    mutating func add(intervalSeconds: Double) {
        (oldest, middle, newest) = (middle, newest, intervalSeconds)
    }

    /// The usual interval, seconds; 1 until more is known.
    var medianSeconds: Double { max(min(newest, middle), min(max(newest, middle), oldest)) }

    var isSparse: Bool { medianSeconds >= Self.sparseThresholdSeconds }

    /// A longer silence than this is a gap: nobody knows the way through it.
    var gapSeconds: Double { max(3 * medianSeconds, Self.sparseThresholdSeconds) }
}
