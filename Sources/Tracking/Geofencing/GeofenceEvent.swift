import OdographCivilTime

/// An event between the vehicle and a geofence.
public struct GeofenceEvent: Hashable, Sendable, Codable {
    /// The kind of event.
    public enum Action: String, Hashable, Sendable, Codable, CaseIterable {
        /// The vehicle entered, or was found inside.
        case enter = "ENTER"
        /// The vehicle exited, or was found outside, or the geofence is gone.
        case exit = "EXIT"
        /// The visit has lasted for the loitering delay; once a visit.
        case dwell = "DWELL"
        /// The route went through between two fixes, or faster than an entry is confirmed.
        case cross = "CROSS"
        /// The vehicle was faster inside than the geofence allows; emitted when that is over.
        case overspeed = "OVERSPEED"
    }

    /// The reason for an event without an observed crossing.
    public enum Reason: String, Hashable, Sendable, Codable, CaseIterable {
        /// The agent was started for the first time.
        case started
        /// The geofence is new.
        case created
        /// The geofence has another shape.
        case edited
        /// The geofence is gone.
        case deleted
        /// The vehicle moved while the agent was off, or there were no positions.
        case moved
        /// The geofence's own schedule, or the tracking schedule, opened or closed.
        case schedule
    }

    /// The identifier of the geofence.
    public var identifier: String
    /// The kind of event.
    public var action: Action
    /// The interpolated time of the crossing, or the time of the change where no crossing was observed.
    public var occurredAt: Timestamp
    /// The time at which the event was certain.
    public var confirmedAt: Timestamp
    /// Whether the vehicle was found inside without an observed entry.
    public var isInitial = false
    /// The reason of an event without an observed crossing; nil for others.
    public var reason: Reason?
    /// The time at which the vehicle left, on `CROSS`.
    public var exitedAt: Timestamp?
    /// The duration of the visit, seconds, on `EXIT` and `DWELL`.
    public var dwellSeconds: Double?
    /// The greatest speed, m/s, on `OVERSPEED`.
    public var peakSpeedMetersPerSecond: Double?
    /// The geofence's speed limit, m/s, on `OVERSPEED`.
    public var speedLimitMetersPerSecond: Double?
    /// The duration of the excess, seconds, on `OVERSPEED`.
    public var durationSeconds: Double?
    /// The geofence's display name.
    public var name: String?
    /// The kind of place, as `HOME` or `DEPOT`.
    public var significance: String?
    /// The geofence's JSON object for its events, as compact text.
    public var extras: String?

    init(identifier: String, action: Action, occurredAt: Timestamp, confirmedAt: Timestamp) {
        self.identifier = identifier
        self.action = action
        self.occurredAt = occurredAt
        self.confirmedAt = confirmedAt
    }
}
