import CivilTime

/// What made the tracker record a location.
public enum LocationCause: String, Hashable, Sendable, Codable {
    /// The vehicle began to move, or came to rest.
    case motionChange = "motionchange"
    /// The source of positions came or went.
    case providerChange = "providerchange"
    /// A geofence was entered, left, stayed in or passed through.
    case geofence
    /// Nothing was recorded for the heartbeat interval.
    case heartbeat
    /// The tracking schedule opened or closed.
    case schedule
}

/// A location with all that the tracker knew at that time: the core's side of a location event.
public struct TrackedLocation: Hashable, Sendable, Codable {
    /// The fix it stands on.
    public var fix: Fix
    /// Milliseconds from the fix's time to when the agent made this of it, ≥ 0; large where a known position is
    /// said again (a heartbeat without reception).
    public var ageMilliseconds: Int64
    /// What made the tracker record it; nil for a plain one.
    public var cause: LocationCause?
    /// Whether the vehicle was moving.
    public var isMoving: Bool
    /// Whether it is an intermediate sample.
    public var isSample: Bool
    /// Distance travelled since the odometer was last set, metres.
    public var odometerMeters: Double
    /// The true distance is within ± this of the odometer in 95 of 100 cases, metres.
    public var odometerErrorMeters: Double
    /// How the device was being moved.
    public var activity: Activity
    /// The battery; nil where the machine has none.
    public var battery: Battery?
    /// The tag of trips made at this time; nil for none.
    public var tag: String?
    /// Whether nobody can say when it was: the fix's timestamp is the earliest that it can be.
    public var isClockUntrusted = false
    /// What happened with a geofence, where that is the cause.
    public var geofence: GeofenceEvent?
}
