import OdographCivilTime
import OdographGeodesy
import OdographModel

/// A believed position, as the geofences use it.
struct GeofencePosition: Equatable, Sendable, Codable {
    /// The time of the fix.
    var time: Timestamp
    /// The position of the fix.
    var coordinate: Coordinate
    /// The fix's 95 % radius, metres.
    var accuracyMeters: Double
    /// Speed over ground, m/s; nil where the receiver does not report it.
    var speedMetersPerSecond: Double?
    /// The robust centre of the stop; nil while the vehicle moves.
    var stationaryCoordinate: Coordinate?

    /// The position that decides: the centre of the stop, else the fix.
    var effectiveCoordinate: Coordinate { stationaryCoordinate ?? coordinate }
    var isStationary: Bool { stationaryCoordinate != nil }

    init(_ fix: Fix, stationaryCoordinate: Coordinate?) {
        time = fix.timestamp
        coordinate = fix.coordinate
        accuracyMeters = fix.likelyAccuracyMeters
        speedMetersPerSecond = fix.speedMetersPerSecond
        self.stationaryCoordinate = stationaryCoordinate
    }
}

/// The usual interval between fixes: the median of the last three, which ignores a single silence.
struct FixCadence: Equatable, Sendable, Codable {
    /// From this interval on fixes are sparse, seconds: two that agree have taken longer than any three at full rate.
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

    /// The shortest silence whose route is unknown, seconds.
    var gapSeconds: Double { max(3 * medianSeconds, Self.sparseThresholdSeconds) }
}
