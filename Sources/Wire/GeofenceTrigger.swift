import CivilTime
import OdographJSON

/// What happened between a vehicle and a geofence, in the location event that tells of it.
public struct GeofenceTrigger: Hashable, Sendable, Codable {
    /// The geofence's identifier.
    public var identifier: String
    /// `ENTER`, `EXIT`, `DWELL`, `CROSS` or `OVERSPEED`.
    public var action: String
    /// When it happened: the interpolated crossing of the edge, or when it became so where no crossing was seen.
    public var occurredAt: Timestamp
    /// When it was certain.
    public var confirmedAt: Timestamp
    /// True where the vehicle was found inside; absent else.
    public var initial: Bool?
    /// Why it is told although no crossing was seen: `started`, `created`, `edited`, `deleted`, `moved` or `schedule`;
    /// absent where one was.
    public var reason: String?
    /// On `CROSS`: when the vehicle left again.
    public var exitedAt: Timestamp?
    /// On `EXIT` and `DWELL`: how long the visit has lasted, seconds.
    public var dwell: Double?
    /// On `OVERSPEED`: the greatest speed, m/s.
    public var peakSpeed: Double?
    /// On `OVERSPEED`: the geofence's limit, m/s.
    public var speedLimit: Double?
    /// On `OVERSPEED`: how long the vehicle was too fast, seconds.
    public var duration: Double?
    /// The geofence's name.
    public var name: String?
    /// What the place is to the fleet: `HOME`, `DEPOT`, …
    public var significance: String?
    /// What the geofence hangs on its events.
    public var extras: [String: JSONValue]?

    /// - Parameters: as the properties of the same names.
    public init(identifier: String, action: String, occurredAt: Timestamp, confirmedAt: Timestamp) {
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
