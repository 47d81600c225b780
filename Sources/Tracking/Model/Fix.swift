import CivilTime
import Geodesy

/// One position as a receiver reported it, before the tracker has judged it.
public struct Fix: Hashable, Sendable, Codable {
    /// The receiver's time of the position, UTC.
    public var timestamp: Timestamp
    /// When the agent had it.
    public var received: Moment
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

    /// - Parameters: as the properties of the same names.
    public init(
        timestamp: Timestamp,
        received: Moment,
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
        self.accuracyMeters = accuracyMeters
        self.speedMetersPerSecond = speedMetersPerSecond
        self.speedAccuracyMetersPerSecond = speedAccuracyMetersPerSecond
        self.headingDegrees = headingDegrees
        self.altitudeMeters = altitudeMeters
        self.ellipsoidalAltitudeMeters = ellipsoidalAltitudeMeters
        self.isMock = isMock
    }
}
