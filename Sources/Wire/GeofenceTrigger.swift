import OdographCivilTime
import OdographJSON

/// A geofence event: the key `geofence` of a location record.
public struct GeofenceTrigger: Hashable, Sendable, Codable {
    /// The geofence's identifier.
    public var identifier: String
    /// The kind of event.
    public var action: Action
    /// The interpolated time of the crossing of the edge; without a crossing, the time at which the state changed.
    public var occurredAt: Timestamp
    /// The time at which the event was certain.
    public var confirmedAt: Timestamp
    /// True if the vehicle was found inside; absent otherwise.
    public var initial: Bool?
    /// The reason for an event without an observed crossing; absent if a crossing was seen.
    public var reason: Reason?
    /// With `CROSS`: the time at which the vehicle left again.
    public var exitedAt: Timestamp?
    /// With `EXIT` and `DWELL`: the length of the visit, seconds.
    public var dwell: Double?
    /// With `OVERSPEED`: the greatest speed, m/s.
    public var peakSpeed: Double?
    /// With `OVERSPEED`: the geofence's limit, m/s.
    public var speedLimit: Double?
    /// With `OVERSPEED`: the time for which the vehicle was too fast, seconds.
    public var duration: Double?
    /// The geofence's name.
    public var name: String?
    /// The meaning of the place for the fleet: `HOME`, `DEPOT`, …
    public var significance: String?
    /// The extras of the geofence.
    public var extras: [String: JSONValue]?

    /// Creates an event; the other properties are nil.
    public init(identifier: String, action: Action, occurredAt: Timestamp, confirmedAt: Timestamp) {
        self.identifier = identifier
        self.action = action
        self.occurredAt = occurredAt
        self.confirmedAt = confirmedAt
    }

    private enum CodingKeys: String, CodingKey {
        case identifier, action
        case occurredAt = "occurred_at"
        case confirmedAt = "confirmed_at"
        case initial, reason
        case exitedAt = "exited_at"
        case dwell
        case peakSpeed = "peak_speed"
        case speedLimit = "speed_limit"
        case duration, name, significance, extras
    }
}
