import CivilTime

/// What happened between a vehicle and a geofence.
public struct GeofenceEvent: Hashable, Sendable, Codable {
    /// What happened.
    public enum Action: String, Hashable, Sendable, Codable, CaseIterable {
        /// It went in, or was found inside.
        case enter = "ENTER"
        /// It went out, or was found outside, or the fence is gone.
        case exit = "EXIT"
        /// It has stayed for the fence's loitering delay; once a visit.
        case dwell = "DWELL"
        /// It went through between two fixes, or faster than an entering is confirmed.
        case cross = "CROSS"
        /// It was faster inside than the fence allows; told when that is over.
        case overspeed = "OVERSPEED"
    }

    /// Why something is told of a fence although nobody saw the vehicle cross its edge.
    public enum Reason: String, Hashable, Sendable, Codable, CaseIterable {
        /// The agent was started for the first time, or after a time of which nothing is to be known.
        case started
        /// The fence is new.
        case created
        /// The fence has another shape.
        case edited
        /// The fence is gone.
        case deleted
        /// The vehicle moved while nobody looked: the agent was off, or there were no positions.
        case moved
        /// The fence's own schedule opened or closed.
        case schedule
    }

    /// The fence.
    public var identifier: String
    /// What happened.
    public var action: Action
    /// When it happened: where the way crosses the edge, between two fixes; when it became so where nobody saw a crossing.
    public var occurredAt: Timestamp
    /// When it was certain.
    public var confirmedAt: Timestamp
    /// Whether the vehicle was found inside, and was not seen to go in.
    public var isInitial = false
    /// Why it is told although no crossing was seen; nil where one was.
    public var reason: Reason?
    /// When a vehicle that went through left, on `CROSS`.
    public var exitedAt: Timestamp?
    /// How long the visit has lasted, seconds, on `EXIT` and `DWELL`.
    public var dwellSeconds: Double?
    /// The greatest speed, m/s, on `OVERSPEED`.
    public var peakSpeedMetersPerSecond: Double?
    /// The fence's limit, m/s, on `OVERSPEED`.
    public var speedLimitMetersPerSecond: Double?
    /// How long the vehicle was too fast, seconds, on `OVERSPEED`.
    public var durationSeconds: Double?
    /// What people call the fence.
    public var name: String?
    /// What kind of place it is.
    public var significance: String?
    /// The fence's JSON object for its events, as compact text.
    public var extras: String?

    init(identifier: String, action: Action, occurredAt: Timestamp, confirmedAt: Timestamp) {
        self.identifier = identifier
        self.action = action
        self.occurredAt = occurredAt
        self.confirmedAt = confirmedAt
    }
}
