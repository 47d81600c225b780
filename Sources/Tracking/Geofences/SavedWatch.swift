import CivilTime
import Geodesy

/// A watch as it is saved: by the fence's identifier, for a slot means nothing in another run.
struct SavedWatch: Equatable, Sendable, Codable {
    var identifier: String
    /// `FenceIndex.fingerprint` of the shape that it is of.
    var shape: UInt64
    var phase: FenceWatch.Phase
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
    var speed: SpeedWatch?

    init(_ watch: FenceWatch, identifier: String, shape: UInt64) {
        self.identifier = identifier
        self.shape = shape
        phase = watch.phase
        count = watch.count
        since = watch.since
        beyondSince = watch.beyondSince
        enteredAt = watch.enteredAt
        isInitial = watch.isInitial
        enterReason = watch.enterReason
        leftAt = watch.leftAt
        leftReason = watch.leftReason
        isOutside = watch.isOutside
        dwellDue = watch.dwellDue
        isOpen = watch.isOpen
        windowChange = watch.windowChange
        speed = watch.speed
    }

    func watch(in slot: FenceIndex.Slot) -> FenceWatch {
        var watch = FenceWatch(slot: slot, at: since)
        watch.phase = phase
        watch.count = count
        watch.beyondSince = beyondSince
        watch.enteredAt = enteredAt
        watch.isInitial = isInitial
        watch.enterReason = enterReason
        watch.leftAt = leftAt
        watch.leftReason = leftReason
        watch.isOutside = isOutside
        watch.dwellDue = dwellDue
        watch.isOpen = isOpen
        watch.windowChange = windowChange
        watch.speed = speed
        return watch
    }
}

extension GeofenceMonitor {
    /// What is going on, by identifier.
    var saved: [SavedWatch] {
        guard sleeping.isEmpty else { return sleeping }
        return watches.compactMap { watch in
            fences.identifier(watch.slot).map {
                SavedWatch(watch, identifier: $0, shape: fences.index.fingerprint(watch.slot))
            }
        }
        .sorted { $0.identifier < $1.identifier }
    }

    /// Gives a loaded state its set.
    /// - Returns: whether it is the one that the state is of; if not, nothing has changed.
    mutating func adopt(_ new: GeofenceSet, zone: ZoneRules) -> Bool {
        guard new.identity == identity else { return false }
        let saved = saved
        fences = new
        self.zone = zone
        watches.removeAll()
        for entry in saved {
            guard let slot = new.slot(of: entry.identifier) else { continue }
            watches.append(entry.watch(in: slot))
        }
        watches.sort { $0.slot < $1.slot }
        sleeping = []
        return true
    }
}

extension GeofenceMonitor: Equatable {
    /// Monitors of the same set with the same state are the same.
    public static func == (left: GeofenceMonitor, right: GeofenceMonitor) -> Bool {
        left.identity == right.identity && left.last == right.last && left.cadence == right.cadence
            && left.isBlind == right.isBlind && left.firstReason == right.firstReason && left.saved == right.saved
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
        sleeping = try container.decode([SavedWatch].self, forKey: .saved)
        last = try container.decodeIfPresent(LastSighting.self, forKey: .last)
        cadence = try container.decode(FixCadence.self, forKey: .cadence)
        isBlind = try container.decode(Bool.self, forKey: .isBlind)
        firstReason = try container.decode(GeofenceEvent.Reason.self, forKey: .firstReason)
    }

    /// Writes the state without the set.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(identity, forKey: .identity)
        try container.encode(saved, forKey: .saved)
        try container.encodeIfPresent(last, forKey: .last)
        try container.encode(cadence, forKey: .cadence)
        try container.encode(isBlind, forKey: .isBlind)
        try container.encode(firstReason, forKey: .firstReason)
    }
}
