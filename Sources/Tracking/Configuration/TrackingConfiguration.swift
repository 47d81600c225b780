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
    /// The rule for the driving style; nil: it is not observed.
    public var driving: DrivingRule?
    /// The time without a record after which a heartbeat is recorded, seconds; 0: never.
    public var heartbeatIntervalSeconds = 3600.0
    /// The time for which the position source must be unavailable before that is recorded, seconds, ≥ 0.
    public var providerChangeDelaySeconds = 10.0
    /// The model parameters. They are part of the program: they are neither configurable nor saved.
    public var modelParameters = ModelParameters()

    /// Creates the default configuration.
    public init() {}

    private enum CodingKeys: String, CodingKey {
        case isEnabled, desiredAccuracyMeters, stationary, sampling, filter, timeline, driving
        case heartbeatIntervalSeconds, providerChangeDelaySeconds
    }
}
