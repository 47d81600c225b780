import CivilTime

/// The rules that the timeline stands on, of a whole configuration.
struct TimelineRules {
    let timeline: TimelineRule
    /// Who stands for this long is stationary, seconds.
    let intervalSeconds: Double
    let heartbeatSeconds: Double
    /// A way by one means is no leg of its own below this, seconds: a minute's walk to the car is one, ten seconds round
    /// it are not. Also what a stay must last where nobody knows when it began.
    let shortestLegSeconds = 45.0
    /// Who leaves a vehicle is believed to walk after this long: queues move at a walk too.
    let certainLegSeconds = 60.0
    /// Who is faster than cyclists for this long is in a vehicle, seconds.
    let shortestFastSeconds = 15.0
    /// The last leg before a stay, seconds.
    let shortestLastLegSeconds = 20.0
    /// Nor without this much of a way, metres: who stands at a red light is not on foot.
    let shortestLegMeters = 30.0

    init(_ configuration: TrackingConfiguration) {
        timeline = configuration.timeline
        intervalSeconds = configuration.stationary.intervalSeconds
        heartbeatSeconds = configuration.heartbeatIntervalSeconds
    }
}

/// Revisions that one input made, oldest first.
struct TimelineLog {
    /// The tracker's time.
    let now: Timestamp
    var events: [TimelineEvent] = []

    init(now: Timestamp) {
        self.now = now
    }
}

extension TransportMode {
    /// No road vehicle goes faster for long, m/s: 198 km/h.
    static let roadLimitMetersPerSecond = 55.0
    /// Cyclists go faster only downhill, m/s: 32 km/h.
    static let cycleLimitMetersPerSecond = 9.0
    private static let leastRailSeconds = 60.0

    init(carrier: Carrier?, railSeconds: Double) {
        switch carrier {
        case .foot: self = .walking
        case .running: self = .running
        case .bicycle: self = .bicycle
        case .vehicle: self = railSeconds >= Self.leastRailSeconds ? .train : .car
        case .some(.none), nil: self = .unknown
        }
    }
}
