import OdographModel

/// The configuration of the timeline.
public struct TimelineRule: Hashable, Sendable, Codable {
    /// The time without a revision after which a trip that lasts is revised, seconds, > 0. A change of the mode is
    /// revised at once.
    public var updateIntervalSeconds = 60.0
    /// The shortest stop between two trips with one vehicle or bicycle, seconds. A shorter one is a halt and belongs to
    /// the trip (crossing, queue, a word through the window). 0: every rest of the stationary interval is a stop.
    public var shortestStopSeconds = 300.0
    /// The vehicle that the receiver is mounted in: the mode of every trip, not on foot. Nil where a person can carry
    /// the receiver, as a phone, and the mode must be detected.
    public var vehicle: TransportMode?
    /// The largest distance of a position from the line of the waypoints, metres, ≥ 0.
    public var waypointToleranceMeters = 10.0
    /// The largest number of waypoints of an event, ≥ 2.
    public var maximumWaypoints = 200
    /// The longest time without a position on a trip, seconds, > 0. After it the vehicle is off the grid.
    public var gapSeconds = 300.0

    /// Creates the default configuration.
    public init() {}
}
