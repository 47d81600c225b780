import OdographCivilTime
import OdographGeodesy

/// A position as a receiver reported it, before the tracker evaluates it.
public struct Fix: Hashable, Sendable, Codable {
    /// The receiver's time of the position, UTC.
    public var timestamp: Timestamp
    /// The time at which the agent received it.
    public var received: ClockReading
    /// The reported position.
    public var coordinate: Coordinate
    /// The radius that contains the true position in 95 of 100 cases, metres; nil if the receiver does not report it.
    public var accuracyMeters: Double?
    /// The speed over ground, m/s, ≥ 0, from Doppler if available; nil if the receiver does not report it.
    public var speedMetersPerSecond: Double?
    /// The 95 % error of the speed, m/s; nil if the receiver does not report it.
    public var speedAccuracyMetersPerSecond: Double?
    /// The direction of travel, degrees from true north, 0 up to 360; nil if the receiver does not report it.
    public var headingDegrees: Double?
    /// The height above mean sea level, metres; nil if the receiver does not report it.
    public var altitudeMeters: Double?
    /// The height above the WGS84 ellipsoid, metres; nil if the receiver does not report it.
    public var ellipsoidalAltitudeMeters: Double?
    /// How much the receiver is jammed, as it says itself: 0 (not) to 1 (severely); nil if it does not report it.
    public var jammingLevel: Double?
    /// Whether the position was replayed or simulated.
    public var isMock: Bool

    private enum CodingKeys: String, CodingKey {
        case timestamp, received, coordinate, accuracyMeters, speedMetersPerSecond, speedAccuracyMetersPerSecond
        case headingDegrees, altitudeMeters, ellipsoidalAltitudeMeters, jammingLevel, isMock
    }

    /// Decodes a saved fix and limits its values like those of a new one.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        func number(_ key: CodingKeys) throws -> Double? { try values.decodeIfPresent(Double.self, forKey: key) }
        self.init(
            timestamp: try values.decode(Timestamp.self, forKey: .timestamp),
            received: try values.decode(ClockReading.self, forKey: .received),
            coordinate: try values.decode(Coordinate.self, forKey: .coordinate),
            accuracyMeters: try number(.accuracyMeters), speedMetersPerSecond: try number(.speedMetersPerSecond),
            speedAccuracyMetersPerSecond: try number(.speedAccuracyMetersPerSecond),
            headingDegrees: try number(.headingDegrees), altitudeMeters: try number(.altitudeMeters),
            ellipsoidalAltitudeMeters: try number(.ellipsoidalAltitudeMeters),
            jammingLevel: try number(.jammingLevel), isMock: try values.decode(Bool.self, forKey: .isMock))
    }

    /// Creates a fix from the values of a source. A value outside its ``ValidRange`` becomes nil, as if not reported.
    /// An accuracy above its range becomes the upper bound, since nil would mean an unknown accuracy. A direction is
    /// normalised to 0 up to 360 degrees.
    public init(
        timestamp: Timestamp,
        received: ClockReading,
        coordinate: Coordinate,
        accuracyMeters: Double? = nil,
        speedMetersPerSecond: Double? = nil,
        speedAccuracyMetersPerSecond: Double? = nil,
        headingDegrees: Double? = nil,
        altitudeMeters: Double? = nil,
        ellipsoidalAltitudeMeters: Double? = nil,
        jammingLevel: Double? = nil,
        isMock: Bool = false
    ) {
        self.timestamp = timestamp
        self.received = received
        self.coordinate = coordinate
        self.accuracyMeters = Self.radius(accuracyMeters, ValidRange.accuracy)
        self.speedMetersPerSecond = ValidRange.speed.validated(speedMetersPerSecond)
        self.speedAccuracyMetersPerSecond = Self.radius(speedAccuracyMetersPerSecond, ValidRange.speed)
        self.headingDegrees = ValidRange.direction.validated(headingDegrees).map(Self.normalized)
        self.altitudeMeters = ValidRange.altitude.validated(altitudeMeters)
        self.ellipsoidalAltitudeMeters = ValidRange.altitude.validated(ellipsoidalAltitudeMeters)
        self.jammingLevel = jammingLevel.flatMap { (0...1).contains($0) ? $0 : nil }
        self.isMock = isMock
    }

    /// Returns an error estimate; nil if it is 0 or less, which means unknown.
    private static func radius(_ value: Double?, _ quantity: ValidRange) -> Double? {
        value.flatMap { $0 > 0 ? quantity.clamped($0) : nil }
    }

    /// Returns a direction as 0 up to 360 degrees.
    private static func normalized(_ degrees: Double) -> Double {
        let remainder = degrees.truncatingRemainder(dividingBy: 360)
        let heading = remainder < 0 ? remainder + 360 : remainder
        // A tiny negative angle rounds to 360 itself.
        return heading < 360 ? heading : 0
    }
}
