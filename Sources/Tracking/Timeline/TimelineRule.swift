import OdographModel

/// What the timeline may be told.
public struct TimelineRule: Hashable, Sendable, Codable {
    /// A transport event that lasts is revised at most this often, seconds, > 0.
    public var updateIntervalSeconds = 60.0
    /// A stand between two ways by the same vehicle or bicycle that turns out shorter than this belongs to the trip
    /// (crossings, queues, a word through the window), seconds; 0: every stand of the stationary interval is a stop.
    public var shortestStopSeconds = 300.0
    /// What the receiver is mounted in, so that nobody gets out of it with the receiver and every way is made by it; nil
    /// where that is to be found out, as of a phone. None of those on foot.
    public var vehicle: TransportMode?
    /// How far a position may lie from the line of the waypoints, metres, ≥ 0.
    public var waypointToleranceMeters = 10.0
    /// The most waypoints of an event, ≥ 2.
    public var maximumWaypoints = 200
    /// Without a position for longer than this a vehicle that was moving is off the grid, seconds, > 0.
    public var gapSeconds = 300.0

    /// The defaults.
    public init() {}
}
