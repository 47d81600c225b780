import OdographCivilTime
import OdographModel

/// The reason for a location record.
public enum LocationCause: String, Hashable, Sendable, Codable {
    /// The vehicle began to move or stopped.
    case motionChange = "motionchange"
    /// The position source became available or unavailable.
    case providerChange = "providerchange"
    /// A geofence event: entered, left, dwelt in or crossed.
    case geofence
    /// A harsh manoeuvre or a long idling.
    case driving
    /// A named beacon came aboard or left.
    case beacon
    /// No record was made for the heartbeat interval.
    case heartbeat
    /// The tracking schedule opened or closed.
    case schedule
}

/// A location with the tracker's state at that time: the content of a location event.
public struct TrackedLocation: Hashable, Sendable, Codable {
    /// The fix of the location.
    public var fix: Fix
    /// The time from the fix to this location, milliseconds, ≥ 0; large in a heartbeat without reception.
    public var ageMilliseconds: Int64
    /// The reason for the record; nil for a periodic one.
    public var cause: LocationCause?
    /// Whether the vehicle was moving.
    public var isMoving: Bool
    /// Whether it is an intermediate sample.
    public var isSample: Bool
    /// The distance since the odometer was last set, metres.
    public var odometerMeters: Double
    /// The half width of the 95 % interval of the true distance, metres.
    public var odometerErrorMeters: Double
    /// The activity of the device.
    public var activity: Activity
    /// The battery of the machine, or that of the vehicle if the machine has none; nil if neither is known.
    public var battery: Battery?
    /// The tag from the schedule; nil for none.
    public var tag: String?
    /// Whether the time is unknown: the fix's timestamp is then the earliest possible time.
    public var isClockUntrusted = false
    /// The geofence event, if that is the cause.
    public var geofence: GeofenceEvent?
    /// The event of the driving style, if that is the cause.
    public var driving: DrivingEvent?
    /// The change of a beacon, if that is the cause.
    public var beacon: BeaconEvent?
    /// The names of the beacons that are aboard, ascending; nil for none.
    public var beacons: [String]?
    /// The values that the vehicle reports; nil for none.
    public var vehicle: VehicleStatus?
}

extension TrackedLocation: WithheldInPrivateTime {}
