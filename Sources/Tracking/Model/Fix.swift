import CivilTime
import Geodesy

/// One position as a receiver reported it, before the tracker has judged it.
public struct Fix: Hashable, Sendable, Codable {
    /// The receiver's time of the position, UTC.
    public var timestamp: Timestamp
    /// When the agent had it.
    public var received: ClockReading
    /// Where the receiver says it is.
    public var coordinate: Coordinate
    /// Radius, in metres, that holds the true position in 95 of 100 cases; nil when the receiver does not say.
    public var accuracyMeters: Double?
    /// Speed over ground, m/s, ≥ 0, from Doppler where the receiver has it; nil when it does not say.
    public var speedMetersPerSecond: Double?
    /// 95 % error of the speed, m/s; nil when the receiver does not say.
    public var speedAccuracyMetersPerSecond: Double?
    /// Direction of travel, degrees from true north, 0 up to 360; nil when the receiver does not say.
    public var headingDegrees: Double?
    /// Height above mean sea level, metres; nil when the receiver does not say.
    public var altitudeMeters: Double?
    /// Height above the WGS84 ellipsoid, metres; nil when the receiver does not say.
    public var ellipsoidalAltitudeMeters: Double?
    /// Whether the position was replayed or simulated, not received.
    public var isMock: Bool

    private enum CodingKeys: CodingKey {
        case timestamp, received, coordinate, accuracyMeters, speedMetersPerSecond, speedAccuracyMetersPerSecond
        case headingDegrees, altitudeMeters, ellipsoidalAltitudeMeters, isMock
    }

    /// Reads a saved fix; its numbers are held to the same ranges as those of a new one.
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
            isMock: try values.decode(Bool.self, forKey: .isMock))
    }

    /// A fix of what a source reports. A value beyond its ``ValidRange`` is nil, as if the receiver did not say it; an accuracy
    /// beyond is the worst that there can be, so that it is not mistaken for that of a receiver that tells none. A direction
    /// is brought to 0 up to 360 degrees.
    /// - Parameters: as the properties of the same names.
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
        self.isMock = isMock
    }

    /// An error estimate; nil where there is none: none is 0 or less.
    private static func radius(_ value: Double?, _ quantity: ValidRange) -> Double? {
        value.flatMap { $0 > 0 ? quantity.clamped($0) : nil }
    }

    /// A direction as 0 up to 360 degrees.
    private static func normalized(_ degrees: Double) -> Double {
        let remainder = degrees.truncatingRemainder(dividingBy: 360)
        let heading = remainder < 0 ? remainder + 360 : remainder
        // A tiny negative angle rounds to 360 itself.
        return heading < 360 ? heading : 0
    }
}
