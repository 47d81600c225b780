import Crontab
import Geodesy

/// A place whose entering, leaving and passing is told.
public struct Geofence: Hashable, Sendable {
    /// What the fence is called on the wire; unique within a set.
    public var identifier: String
    /// The area.
    public var shape: Shape
    /// What is told of it, and when.
    public var rule: GeofenceRule

    /// - Parameters: as the properties of the same names.
    public init(identifier: String, shape: Shape, rule: GeofenceRule = GeofenceRule()) {
        self.identifier = identifier
        self.shape = shape
        self.rule = rule
    }
}

/// What is told of a geofence, and when.
public struct GeofenceRule: Hashable, Sendable {
    /// What a vehicle that is found inside says, as the fence is new or the agent starts.
    public enum InitialTrigger: String, Hashable, Sendable, CaseIterable {
        /// It has entered, `initial: true`.
        case enter
        /// Nothing.
        case none
    }

    /// What people call the place.
    public var name: String?
    /// Whether an ENTER is told.
    public var notifiesOnEntry = true
    /// Whether an EXIT is told.
    public var notifiesOnExit = true
    /// Whether a DWELL is told, once a visit, after ``loiteringDelaySeconds``.
    public var notifiesOnDwell = false
    /// How long a visit lasts until it is a DWELL, seconds from the crossing, ≥ 0.
    public var loiteringDelaySeconds = 300.0
    /// What a vehicle that is found inside says.
    public var initialTrigger = InitialTrigger.enter
    /// What kind of place it is, as `HOME` or `DEPOT`.
    public var significance: String?
    /// The minutes, on the tracking schedule's wall clock, in which the fence is watched; nil: always.
    public var schedule: Schedule?
    /// Faster than this inside is an OVERSPEED, metres per second, above 0; nil: no limit.
    public var speedLimitMetersPerSecond: Double?
    /// A JSON object that is copied to each event of the fence, as compact text; nil for none.
    public var extras: String?

    /// Entering and leaving are told, always.
    public init() {}
}
