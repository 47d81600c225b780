import CivilTime

/// One JSON report of a gpsd, as far as an agent needs it. Source: gpsd_json(5), protocol 3.
public enum GPSDReport: Hashable, Sendable {
    /// A time-position-velocity report.
    case tpv(TPVReport)
    /// The answer to `?POLL`: the last report of each receiver that is read from.
    case poll([TPVReport])
    /// The greeting of a gpsd; `release` is its version.
    case version(release: String?)
    /// All receivers that the gpsd knows; none is a statement too.
    case devices([DeviceReport])
    /// One receiver came, went, or was configured.
    case device(DeviceReport)
    /// The answer to `?WATCH`.
    case watch(isEnabled: Bool)
    /// The gpsd did not understand a request.
    case error(message: String?)
    /// A report of another class, or of none (an empty name).
    case other(String)
}

/// The `TPV` report. A value that the report lacks, or that has another type than it should, is nil.
public struct TPVReport: Hashable, Sendable {
    /// The receiver's path, such as `/dev/ttyUSB0`.
    public var device: String?
    /// 0 unknown, 1 no fix, 2 two-dimensional, 3 three-dimensional.
    public var mode: Double?
    /// The receiver's time of the position.
    public var time: Timestamp?
    /// Degrees north.
    public var latitudeDegrees: Double?
    /// Degrees east.
    public var longitudeDegrees: Double?
    /// Height above the ellipsoid, metres.
    public var altitudeHAEMeters: Double?
    /// Height above mean sea level, metres.
    public var altitudeMSLMeters: Double?
    /// The deprecated `alt`, metres: above mean sea level in the releases that had no other.
    public var altitudeMeters: Double?
    /// Horizontal error estimate, metres.
    public var ephMeters: Double?
    /// Longitude error estimate, metres.
    public var epxMeters: Double?
    /// Latitude error estimate, metres.
    public var epyMeters: Double?
    /// Speed error estimate, m/s.
    public var epsMetersPerSecond: Double?
    /// Speed over ground, m/s.
    public var speedMetersPerSecond: Double?
    /// Course over ground, degrees from true north.
    public var trackDegrees: Double?

    /// A report that says nothing.
    public init() {}
}

/// The `DEVICE` report.
public struct DeviceReport: Hashable, Sendable {
    /// The receiver's path.
    public var path: String?
    /// Whether the gpsd reads from it: false where `activated` is absent or 0.
    public var isActivated = false
    /// Seconds between two positions, where the receiver says.
    public var cycleSeconds: Double?
    /// The shortest cycle that the receiver can be set to; present only where it can be set.
    public var minimumCycleSeconds: Double?

    /// A report that says nothing.
    public init() {}
}
