/// What the tracker may be told. Every value has a default, so that an empty document is a good one.
public struct TrackingConfiguration: Hashable, Sendable, Codable {
    /// Whether anything is tracked at all.
    public var isEnabled = true
    /// A fix with a larger accuracy radius is not accepted, metres, > 0.
    public var desiredAccuracyMeters = 200.0
    /// When a vehicle counts as standing.
    public var stationary = StationaryRule()
    /// When a location is recorded while moving.
    public var sampling = SamplingRule()
    /// What makes a fix implausible.
    public var filter = FilterRule()
    /// How the timeline is kept.
    public var timeline = TimelineRule()
    /// After this long without a record a heartbeat is recorded, seconds; 0: never.
    public var heartbeatIntervalSeconds = 3600.0
    /// How long the source of positions must be gone before that is recorded, seconds, ≥ 0.
    public var providerChangeDelaySeconds = 10.0
    /// What the movement and the timeline are judged by. It belongs to the program: it is neither told nor saved.
    public var modelParameters = ModelParameters()

    /// The defaults.
    public init() {}

    private enum CodingKeys: String, CodingKey {
        case isEnabled, desiredAccuracyMeters, stationary, sampling, filter, timeline, heartbeatIntervalSeconds
        case providerChangeDelaySeconds
    }
}

/// When a location is recorded while moving: at least `minimumInterval` after the last, then whichever comes first.
public struct SamplingRule: Hashable, Sendable, Codable {
    /// No two plain locations are closer than this, seconds, ≥ 0.
    public var minimumIntervalSeconds = 10.0
    /// Recorded after this much way, metres, > 0.
    public var distanceMeters = 100.0
    /// Recorded after the heading has changed by this much, degrees, > 0; 180: never.
    public var headingDegrees = 10.0
    /// Recorded after this long at the latest, seconds, > 0.
    public var maximumIntervalSeconds = 300.0
    /// Whether one is recorded where the vehicle comes to a halt: about a quarter more of them in towns, next to none on the land.
    public var recordsHalts = true

    /// The defaults.
    public init() {}
}

/// What makes a fix implausible.
public struct FilterRule: Hashable, Sendable, Codable {
    /// No vehicle is taken to be faster, m/s, > 0. 75 m/s (270 km/h) lets high-speed trains pass and stops wild fixes.
    public var maximumSpeedMetersPerSecond = 75.0
    /// A fix that reaches the agent later than this after its time is a cached one, seconds, > 0; one whose time is as far
    /// ahead of a clock that is trusted is a receiver's error.
    public var maximumAgeSeconds = 30.0

    /// The defaults.
    public init() {}
}
