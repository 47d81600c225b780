import OdographCivilTime

/// One JSON report of gpsd, limited to the members that an agent needs. Source: gpsd_json(5), protocol 3.
public enum GPSDReport: Hashable, Sendable {
    /// A time-position-velocity report.
    case tpv(TPVReport)
    /// The answer to `?POLL`: the last report of each active receiver.
    case poll([TPVReport])
    /// The greeting of gpsd; `release` is its version.
    case version(release: String?)
    /// All receivers known to gpsd; the list may be empty.
    case devices([DeviceReport])
    /// A receiver was added, removed or configured.
    case device(DeviceReport)
    /// The answer to `?WATCH`.
    case watch(isEnabled: Bool)
    /// gpsd did not understand a request.
    case error(message: String?)
    /// A report of another class, or without a class (an empty name).
    case other(String)
}

/// The `TPV` report. A value that is absent or has a wrong type is nil.
public struct TPVReport: Hashable, Sendable {
    /// The receiver's path, such as `/dev/ttyUSB0`.
    public var device: String?
    /// The mode: 0 unknown, 1 no fix, 2 two-dimensional, 3 three-dimensional.
    public var mode: Double?
    /// The receiver's time of the position.
    public var time: Timestamp?
    /// Whether there is a time that is not in the form of ISO 8601 with a zone; ``time`` is nil then.
    public var hasUnreadableTime = false
    /// Degrees north.
    public var latitudeDegrees: Double?
    /// Degrees east.
    public var longitudeDegrees: Double?
    /// Height above the ellipsoid, metres.
    public var altitudeHAEMeters: Double?
    /// Height above mean sea level, metres.
    public var altitudeMSLMeters: Double?
    /// The deprecated `alt`, metres; the height above mean sea level in releases that had no other height.
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
    /// The jamming indicator, 0 (none) to 255 (severe), of gpsd 3.26 and later; gpsd leaves 0 out.
    public var jam: Double?

    /// Creates a report without values.
    public init() {}
}

/// The `DEVICE` report.
public struct DeviceReport: Hashable, Sendable {
    /// The receiver's path.
    public var path: String?
    /// Whether gpsd reads from the receiver: false if `activated` is absent or 0.
    public var isActivated = false
    /// Seconds between two positions, if the receiver reports them.
    public var cycleSeconds: Double?
    /// The shortest cycle that can be set, seconds; nil if the cycle cannot be set.
    public var minimumCycleSeconds: Double?

    /// Creates a report without values.
    public init() {}
}
