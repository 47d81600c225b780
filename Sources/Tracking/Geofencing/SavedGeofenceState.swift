import CivilTime
import Geodesy

/// The state of a geofence as it is saved: by its identifier, because a slot is valid in one run only.
///
/// A value that a phase does not have is saved as its default.
struct SavedGeofenceState: Equatable, Sendable, Codable {
    enum Phase: UInt8, Hashable, Sendable, Codable {
        case entering, inside, crossing, returned
    }

    var identifier: String
    /// The `ShapeIndex.fingerprint` of the geofence's shape.
    var shape: UInt64
    var phase: Phase
    var count = 0
    var since: Timestamp
    var beyondSince: Timestamp?
    var enteredAt: Timestamp
    var isInitial = false
    var enterReason: GeofenceEvent.Reason?
    var leftAt: Timestamp?
    var leftReason: GeofenceEvent.Reason?
    var isOutside = false
    var dwellDue: Timestamp?
    var isOpen = true
    var windowChange: Timestamp?
    var speed: OverspeedDetector?

    init(_ state: GeofenceState.Phase, identifier: String, shape: UInt64) {
        self.identifier = identifier
        self.shape = shape
        let run: FixRun
        let entry: GeofenceEntry
        switch state {
        case .entering(let entering):
            (phase, entry, run) = (.entering, entering.entry, entering.run)
        case .inside(let visit):
            (phase, entry, run) = (.inside, visit.entry, visit.departure?.run ?? FixRun())
            (isOutside, beyondSince) = (visit.departure != nil, visit.departure?.clearSince)
            (leftAt, leftReason) = (visit.exit?.time, visit.exit?.reason)
            dwellDue = visit.dwell.due
            (isOpen, windowChange) = (visit.window.isOpen, visit.window.nextChange)
            speed = visit.overspeed
        case .crossing(let crossing):
            (phase, run) = (.crossing, crossing.run)
            entry = GeofenceEntry(time: crossing.span.lowerBound, origin: .crossed)
            leftAt = crossing.span.upperBound
        case .returned:
            (phase, run) = (.returned, FixRun())
            entry = GeofenceEntry(time: Timestamp(millisecondsSinceEpoch: 0), origin: .crossed)
        }
        (enteredAt, isInitial, enterReason) = (entry.time, entry.isInitial, entry.reason)
        (count, since) = (run.count, run.since ?? entry.time)
    }

    var state: GeofenceState.Phase {
        let run = FixRun(count: count, since: since)
        let origin: GeofenceEntry.Origin = isInitial ? .found(enterReason) : enterReason == nil ? .crossed : .moved
        let entry = GeofenceEntry(time: enteredAt, origin: origin)
        switch phase {
        case .entering: return .entering(GeofenceEntering(entry: entry, run: run))
        case .inside:
            return .inside(
                GeofenceVisit(
                    entry: entry, window: GeofenceWindow(isOpen: isOpen, nextChange: windowChange),
                    dwell: DwellTimer(due: dwellDue), overspeed: speed,
                    exit: leftAt.map { GeofenceVisit.Exit(time: $0, reason: leftReason) },
                    departure: isOutside ? GeofenceDeparture(run: run, clearSince: beyondSince) : nil))
        case .crossing:
            return .crossing(GeofenceCrossing(span: enteredAt...max(leftAt ?? enteredAt, enteredAt), run: run))
        case .returned: return .returned
        }
    }
}

extension GeofenceMonitor {
    /// The states by identifier.
    var savedStates: [SavedGeofenceState] {
        if let dormant { return dormant.states }
        let set = context.set
        return states.compactMap { state in
            set.identifier(state.slot).map {
                SavedGeofenceState(state.phase, identifier: $0, shape: set.index.fingerprint(state.slot))
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
        states = ContiguousArray(
            saved.compactMap { entry in
                new.slot(of: entry.identifier).map { GeofenceState(slot: $0, phase: entry.state) }
            })
        states.sort { $0.slot < $1.slot }
        return true
    }
}

extension GeofenceMonitor: Equatable {
    /// Whether two monitors of the same set have the same state.
    public static func == (left: GeofenceMonitor, right: GeofenceMonitor) -> Bool {
        left.identity == right.identity && left.track == right.track && left.savedStates == right.savedStates
    }
}

extension GeofenceMonitor: Codable {
    private enum CodingKeys: String, CodingKey {
        case identity, saved, last, cadence, isBlind, firstReason
    }

    /// Reads the state without the set.
    /// - Throws: `DecodingError` where it is no saved monitor.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            identity: try container.decode(UInt64.self, forKey: .identity),
            states: try container.decode([SavedGeofenceState].self, forKey: .saved))
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
