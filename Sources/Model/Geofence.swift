import OdographCrontab
import OdographGeodesy

/// An area whose crossings cause events.
public struct Geofence: Hashable, Sendable {
    /// The identifier on the wire; unique within a set.
    public var identifier: String
    /// The area.
    public var shape: Shape
    /// The rule for its events.
    public var rule: GeofenceRule

    /// - Parameters: as the properties of the same names.
    public init(identifier: String, shape: Shape, rule: GeofenceRule = GeofenceRule()) {
        self.identifier = identifier
        self.shape = shape
        self.rule = rule
    }
}

/// The rule for the events of a geofence.
public struct GeofenceRule: Hashable, Sendable {
    /// The event of a vehicle that is found inside a new geofence, or at the start of the agent.
    public enum InitialTrigger: String, Hashable, Sendable, CaseIterable {
        /// `ENTER` with `initial: true`.
        case enter
        /// No event.
        case none
    }

    /// The display name.
    public var name: String?
    /// Whether to emit `ENTER`.
    public var notifiesOnEntry = true
    /// Whether to emit `EXIT`.
    public var notifiesOnExit = true
    /// Whether to emit `DWELL`, once a visit, after ``loiteringDelaySeconds``.
    public var notifiesOnDwell = false
    /// The duration of a visit until its `DWELL`, seconds from the crossing, ≥ 0.
    public var loiteringDelaySeconds = 300.0
    /// The event of a vehicle that is found inside.
    public var initialTrigger = InitialTrigger.enter
    /// The kind of place, as `HOME` or `DEPOT`.
    public var significance: String?
    /// The minutes, on the tracking schedule's wall clock, in which the geofence is watched; nil: always.
    public var schedule: Schedule?
    /// The speed above which `OVERSPEED` is emitted, m/s, above 0; nil: no limit.
    public var speedLimitMetersPerSecond: Double?
    /// A JSON object that is copied to each event of the geofence, as compact text; nil for none.
    public var extras: String?

    /// A rule that emits `ENTER` and `EXIT`, always.
    public init() {}
}
