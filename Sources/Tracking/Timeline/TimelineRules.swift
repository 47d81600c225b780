import CivilTime

/// The rules that the timeline stands on, of a whole configuration.
@dynamicMemberLookup
struct TimelineRules {
    let timeline: TimelineRule
    /// Who stands for this long is stationary, seconds.
    let intervalSeconds: Double
    /// The longest wait that belongs to a way, seconds; who rests for longer stays. Clearly longer than the interval, for
    /// epochs tell its ends only to some seconds and who waits makes a step or two.
    var longestWaitSeconds: Double { 1.5 * intervalSeconds }
    /// What has lasted for longer cannot be found any more to have ended before it was long enough for a stop, seconds.
    var longestDoubtSeconds: Double { timeline.shortestStopSeconds + longestWaitSeconds }
    let heartbeatSeconds: Double
    /// What stays, ways and legs are known by.
    let figures: TimelineFigures

    init(_ configuration: TrackingConfiguration) {
        timeline = configuration.timeline
        intervalSeconds = configuration.stationary.intervalSeconds
        heartbeatSeconds = configuration.heartbeatIntervalSeconds
        figures = configuration.figures.timeline
    }

    subscript(dynamicMember figure: KeyPath<TimelineFigures, Double>) -> Double { figures[keyPath: figure] }
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
    /// Who goes that fast for so long, all in all, is on a train, seconds.
    static let leastRailSeconds = 60.0

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
