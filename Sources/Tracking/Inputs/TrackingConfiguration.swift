/// The configuration of the tracker. Every value has a default, so an empty document is valid.
public struct TrackingConfiguration: Hashable, Sendable, Codable {
    /// Whether tracking is enabled.
    public var isEnabled = true
    /// The largest accuracy radius of an accepted fix, metres, > 0.
    public var desiredAccuracyMeters = 200.0
    /// The rule for a stop.
    public var stationary = StationaryRule()
    /// The rule for location records while moving.
    public var sampling = SamplingRule()
    /// The rule for implausible fixes.
    public var filter = FilterRule()
    /// The rule for the timeline.
    public var timeline = TimelineRule()
    /// The time without a record after which a heartbeat is recorded, seconds; 0: never.
    public var heartbeatIntervalSeconds = 3600.0
    /// The time for which the position source must be unavailable before that is recorded, seconds, ≥ 0.
    public var providerChangeDelaySeconds = 10.0
    /// The model parameters. They are part of the program: they are neither configurable nor saved.
    public var modelParameters = ModelParameters()

    /// Creates the default configuration.
    public init() {}

    private enum CodingKeys: String, CodingKey {
        case isEnabled, desiredAccuracyMeters, stationary, sampling, filter, timeline, heartbeatIntervalSeconds
        case providerChangeDelaySeconds
    }
}

/// The rule for location records while moving: at least `minimumIntervalSeconds` after the last record, the first
/// condition that is met triggers the next.
public struct SamplingRule: Hashable, Sendable, Codable {
    /// The minimum interval of location records without a cause, seconds, ≥ 0.
    public var minimumIntervalSeconds = 10.0
    /// The distance after which a location is recorded, metres, > 0.
    public var distanceMeters = 100.0
    /// The change of heading after which a location is recorded, degrees, > 0; 180: never.
    public var headingDegrees = 10.0
    /// The time after which a location is recorded, seconds, > 0.
    public var maximumIntervalSeconds = 300.0
    /// Whether a location is recorded at a halt: about 25 % more records in towns, almost none outside.
    public var recordsHalts = true

    /// Creates the default rule.
    public init() {}
}

/// The rule for implausible fixes.
public struct FilterRule: Hashable, Sendable, Codable {
    /// The highest plausible speed, m/s, > 0. 75 m/s (270 km/h) accepts high-speed trains and rejects outliers.
    public var maximumSpeedMetersPerSecond = 75.0
    /// The largest plausible difference between a trusted clock and a fix's time, seconds, > 0: an older fix comes from
    /// a cache, and one from the future is an error of the receiver.
    public var maximumAgeSeconds = 30.0

    /// Creates the default rule.
    public init() {}
}
