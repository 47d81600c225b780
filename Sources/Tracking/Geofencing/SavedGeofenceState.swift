import OdographCivilTime
import OdographGeodesy

/// The state of a geofence as it is saved: by its identifier, because a slot is valid in one run only.
struct SavedGeofenceState: Equatable, Sendable, Codable {
    var identifier: String
    /// The `ShapeIndex.fingerprint` of the geofence's shape.
    var shape: UInt64
    var phase: GeofenceState.Phase
}

extension GeofenceMonitor {
    /// The states by identifier.
    var savedStates: [SavedGeofenceState] {
        if let dormant { return dormant.states }
        let set = context.set
        return states.compactMap { state in
            set.identifier(state.slot).map {
                SavedGeofenceState(identifier: $0, shape: set.index.fingerprint(state.slot), phase: state.phase)
            }
        }
        .sorted { $0.identifier < $1.identifier }
    }

    /// Attaches the set of a loaded state.
    /// - Returns: whether the set is the one of the state; if not, nothing has changed.
    mutating func attach(_ new: GeofenceSet, zone: ZoneRules) -> Bool {
        guard new.identity == identity else { return false }
        let saved = savedStates
        context.set = new
        context.zone = zone
        dormant = nil
        adopt(saved)
        return true
    }

    /// Continues saved states of the set.
    mutating func adopt(_ saved: [SavedGeofenceState]) {
        states = ContiguousArray(
            saved.compactMap { entry in
                context.set.slot(of: entry.identifier).map { GeofenceState(slot: $0, phase: entry.phase) }
            })
        states.sort { $0.slot < $1.slot }
    }
}

extension GeofenceMonitor: Equatable {
    /// Whether two monitors of the same set have the same state.
    public static func == (left: GeofenceMonitor, right: GeofenceMonitor) -> Bool {
        left.identity == right.identity && left.track == right.track && left.savedStates == right.savedStates
            && left.doubt == right.doubt
    }
}

extension GeofenceMonitor: Codable {
    private enum CodingKeys: String, CodingKey {
        case identity, saved, last, cadence, isBlind, firstReason, doubt
    }

    /// Reads the state without the set.
    /// - Throws: `DecodingError` where it is no saved monitor.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            identity: try container.decode(UInt64.self, forKey: .identity),
            states: try container.decode([SavedGeofenceState].self, forKey: .saved))
        doubt = try container.decodeIfPresent(GeofenceDoubt.self, forKey: .doubt)
        track.cadence = try container.decode(FixCadence.self, forKey: .cadence)
        if let last = try container.decodeIfPresent(GeofencePosition.self, forKey: .last) {
            track.last = try container.decode(Bool.self, forKey: .isBlind) ? .interrupted(last) : .known(last)
        } else {
            track.last = .none(try container.decode(GeofenceEvent.Reason.self, forKey: .firstReason))
        }
    }

    /// A monitor that continues saved states; it ignores positions until their set is attached.
    init(identity: UInt64, states: [SavedGeofenceState]) {
        self.init()
        if identity != 0 { dormant = Dormant(identity: identity, states: states) }
    }

    /// Writes the state without the set.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(identity, forKey: .identity)
        try container.encode(savedStates, forKey: .saved)
        try container.encodeIfPresent(track.position, forKey: .last)
        try container.encode(track.cadence, forKey: .cadence)
        try container.encodeIfPresent(doubt, forKey: .doubt)
        var (isInterrupted, reason) = (false, GeofenceEvent.Reason.started)
        switch track.last {
        case .none(let known): reason = known
        case .known: break
        case .interrupted: isInterrupted = true
        }
        try container.encode(isInterrupted, forKey: .isBlind)
        try container.encode(reason, forKey: .firstReason)
    }
}
