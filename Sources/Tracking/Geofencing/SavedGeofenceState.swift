import CivilTime
import Geodesy

/// A watch as it is saved: by the fence's identifier, for a slot means nothing in another run.
struct SavedGeofenceState: Equatable, Sendable, Codable {
    var identifier: String
    /// `ShapeIndex.fingerprint` of the shape that it is of.
    var shape: UInt64
    var phase: GeofenceState.Phase
    var count: Int
    var since: Timestamp
    var beyondSince: Timestamp?
    var enteredAt: Timestamp
    var isInitial: Bool
    var enterReason: GeofenceEvent.Reason?
    var leftAt: Timestamp?
    var leftReason: GeofenceEvent.Reason?
    var isOutside: Bool
    var dwellDue: Timestamp?
    var isOpen: Bool
    var windowChange: Timestamp?
    var speed: OverspeedDetector?

    init(_ watch: GeofenceState, identifier: String, shape: UInt64) {
        self.identifier = identifier
        self.shape = shape
        phase = watch.phase
        count = watch.confirmingFixes
        since = watch.confirmingSince
        beyondSince = watch.beyondSince
        enteredAt = watch.enteredAt
        isInitial = watch.isInitial
        enterReason = watch.enterReason
        leftAt = watch.leftAt
        leftReason = watch.leftReason
        isOutside = watch.isOutside
        dwellDue = watch.dwellDue
        isOpen = watch.isScheduleOpen
        windowChange = watch.nextScheduleChange
        speed = watch.overspeed
    }

    func state(in slot: ShapeIndex.Slot) -> GeofenceState {
        var watch = GeofenceState(slot: slot, at: since)
        watch.phase = phase
        watch.confirmingFixes = count
        watch.beyondSince = beyondSince
        watch.enteredAt = enteredAt
        watch.isInitial = isInitial
        watch.enterReason = enterReason
        watch.leftAt = leftAt
        watch.leftReason = leftReason
        watch.isOutside = isOutside
        watch.dwellDue = dwellDue
        watch.isScheduleOpen = isOpen
        watch.nextScheduleChange = windowChange
        watch.overspeed = speed
        return watch
    }
}

extension GeofenceMonitor {
    /// What is going on, by identifier.
    var savedStates: [SavedGeofenceState] {
        guard pendingStates.isEmpty else { return pendingStates }
        return states.compactMap { watch in
            fences.identifier(watch.slot).map {
                SavedGeofenceState(watch, identifier: $0, shape: fences.index.fingerprint(watch.slot))
            }
        }
        .sorted { $0.identifier < $1.identifier }
    }

    /// Gives a loaded state its set.
    /// - Returns: whether it is the one that the state is of; if not, nothing has changed.
    mutating func attach(_ new: GeofenceSet, zone: ZoneRules) -> Bool {
        guard new.identity == identity else { return false }
        let saved = savedStates
        fences = new
        self.zone = zone
        states.removeAll()
        for entry in saved {
            guard let slot = new.slot(of: entry.identifier) else { continue }
            states.append(entry.state(in: slot))
        }
        states.sort { $0.slot < $1.slot }
        pendingStates = []
        return true
    }
}

extension GeofenceMonitor: Equatable {
    /// Monitors of the same set with the same state are the same.
    public static func == (left: GeofenceMonitor, right: GeofenceMonitor) -> Bool {
        left.identity == right.identity && left.last == right.last && left.cadence == right.cadence
            && left.hasGap == right.hasGap && left.initialReason == right.initialReason
            && left.savedStates == right.savedStates
    }
}

extension GeofenceMonitor: Codable {
    private enum CodingKeys: String, CodingKey {
        case identity, saved, last, cadence, isBlind, firstReason
    }

    /// - Throws: `DecodingError` where it is no saved monitor.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init()
        identity = try container.decode(UInt64.self, forKey: .identity)
        pendingStates = try container.decode([SavedGeofenceState].self, forKey: .saved)
        last = try container.decodeIfPresent(LastGeofencePosition.self, forKey: .last)
        cadence = try container.decode(FixCadence.self, forKey: .cadence)
        hasGap = try container.decode(Bool.self, forKey: .isBlind)
        initialReason = try container.decode(GeofenceEvent.Reason.self, forKey: .firstReason)
    }

    /// Writes the state without the set.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(identity, forKey: .identity)
        try container.encode(savedStates, forKey: .saved)
        try container.encodeIfPresent(last, forKey: .last)
        try container.encode(cadence, forKey: .cadence)
        try container.encode(hasGap, forKey: .isBlind)
        try container.encode(initialReason, forKey: .firstReason)
    }
}
