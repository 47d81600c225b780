import CivilTime
import Geodesy

/// What must not get lost of a timeline: the event that lasts, and what was told of the time before it.
struct SavedTimeline: Equatable, Sendable, Codable {
    var event: SavedEvent?
    /// What it ended, as long as that may turn out to go on.
    var ended: SavedEnding?
    /// The last fix that it knows, where that is not the last that was believed.
    var seen: SavedFix?
    /// Whether it knows none although one was believed; absent: no.
    var isUnseen: Bool?
    /// When its last fix was, even where it knows none any more.
    var seenAt: Timestamp?
    /// Why there would be no positions, if there are none.
    var absence: OffTheGridReason?
    /// When the agent was started again that was off since the last position.
    var pausedUntil: Timestamp?
    /// The largest update time given out.
    var lastUpdate: Timestamp?
    /// The place of a stay that lasts.
    var stay: SavedStay?
    /// The geofence that was told of it.
    var venue: String?
    /// The place that the way which lasts began at, in its first leg.
    var left: SavedPlace?
    /// What the last leg on wheels was made by.
    var lastWheels: String?
    /// The way that lasts, and how many points of it are simplified.
    var way: [TimelineWaypoint]?
    var settled: Int?
    /// Where the told time begins that the event goes on with.
    var toldSince: Timestamp?
    /// What is told of a time that is yet to come.
    var toldFrom: Timestamp?
    var toldTo: Timestamp?
    /// An absence that may turn out to be shorter, and its end.
    var leap: SavedEvent?
    var leapEnd: Timestamp?

    private enum CodingKeys: String, CodingKey {
        case event, ended, seen
        case isUnseen = "unseen"
        case seenAt = "seen_at"
        case absence
        case pausedUntil = "paused_until"
        case lastUpdate = "last_update"
        case stay, venue, left
        case lastWheels = "last_wheels"
        case way
        case settled = "way_settled"
        case toldSince = "told_since"
        case toldFrom = "told_from"
        case toldTo = "told_to"
        case leap
        case leapEnd = "leap_end"
    }

    init(_ timeline: TimelineKeeper, lastFix: Fix?, venue: String?) {
        isUnseen = timeline.lastFix == nil && lastFix != nil ? true : nil
        seen = timeline.lastFix == lastFix ? nil : timeline.lastFix.map(SavedFix.init)
        seenAt = timeline.lastTime
        absence = timeline.absence
        pausedUntil = timeline.pause?.end
        event = timeline.open.map(SavedEvent.init)
        ended = timeline.ended.map(SavedEnding.init)
        lastUpdate = timeline.lastUpdate
        stay = timeline.stay.map(SavedStay.init)
        self.venue = timeline.open?.phase == .stationary ? venue : nil
        left = timeline.left.map(SavedPlace.init)
        lastWheels = timeline.lastWheels?.word
        (way, settled) = timeline.line.saved
        toldSince = timeline.told.begin
        toldFrom = timeline.told.ahead?.start
        toldTo = timeline.told.ahead?.end
        leap = timeline.told.leap.map { SavedEvent($0.event) }
        leapEnd = timeline.told.leap?.end
    }

    var line: WaypointLine { WaypointLine(saved: way, settled: settled) }

    var told: ToldTime {
        var told = ToldTime()
        told.begin = toldSince
        if let toldFrom, let toldTo { told.ahead = ToldTime.Stretch(start: toldFrom, end: toldTo) }
        if let event = leap?.event, let leapEnd { told.leap = ToldTime.Leap(event: event, end: leapEnd) }
        return told
    }
}

/// An event, by the wire's words and units.
struct SavedEvent: Equatable, Sendable, Codable {
    var eventID: String
    var revision: Int
    /// `STATIONARY`, `IN_TRANSPORT`, `OFF_THE_GRID` or `UNKNOWN`.
    var type: String
    var reason: OffTheGridReason?
    var start: Timestamp
    /// The odometer's total at its start, metres.
    var startMeters: Double
    /// `foot`, `running`, `bicycle` or `vehicle`.
    var carrier: String?
    /// By what means it came to the stay.
    var cameBy: String?
    /// How long it went faster than road vehicles, and than cyclists do, seconds.
    var railSeconds: Double?
    var fastSeconds: Double?
    /// What went before is not weighed again; absent: its start.
    var decided: Timestamp?
    /// Whether it is a way out of a stay that nobody can be sure of yet; absent: no. Where in the stay it began, if that is all
    /// that is known.
    var isDoubted: Bool?
    var indoors: SavedPlace?

    private enum CodingKeys: String, CodingKey {
        case eventID = "event_id"
        case revision, type, reason
        case start = "start_date"
        case startMeters = "start_meters"
        case carrier
        case cameBy = "came_by"
        case railSeconds = "rail_seconds"
        case fastSeconds = "fast_seconds"
        case decided
        case isDoubted = "doubted"
        case indoors
    }

    init(_ event: OpenEvent) {
        eventID = event.id.description
        revision = event.revision
        type = event.phase.word
        if case .offTheGrid(let why) = event.phase { reason = why }
        start = event.start
        startMeters = event.startMeters
        carrier = event.carrier?.word
        cameBy = event.cameBy?.word
        railSeconds = event.railSeconds > 0 ? event.railSeconds : nil
        fastSeconds = event.fastSeconds > 0 ? event.fastSeconds : nil
        decided = event.decided == event.start ? nil : event.decided
        isDoubted = event.isDoubted ? true : nil
        indoors = event.indoors.map(SavedPlace.init)
    }

    /// Nil where its words are not known.
    var event: OpenEvent? {
        guard let id = TimelineEventID(eventID), let phase = OpenEvent.Phase(word: type, reason: reason) else {
            return nil
        }
        var event = OpenEvent(id: id, revision: revision, phase: phase, start: start, startMeters: startMeters)
        event.carrier = carrier.flatMap(Carrier.init(word:))
        event.cameBy = cameBy.flatMap(Carrier.init(word:))
        event.railSeconds = railSeconds ?? 0
        event.fastSeconds = fastSeconds ?? 0
        event.decided = decided ?? start
        event.isDoubted = isDoubted ?? false
        event.indoors = indoors?.coordinate
        return event
    }
}

/// An event that has ended unless what came after it turns out to be none.
struct SavedEnding: Equatable, Sendable, Codable {
    var event: SavedEvent
    var end: Timestamp
    /// The odometer's total there, metres.
    var meters: Double
    /// Of a stay: its place.
    var stay: SavedStay?
    /// Of a way: its line, and how much of that is simplified.
    var way: [TimelineWaypoint]?
    var settled: Int?

    private enum CodingKeys: String, CodingKey {
        case event, end, meters, stay, way
        case settled = "way_settled"
    }

    init(_ ended: EndedEvent) {
        event = SavedEvent(ended.event)
        end = ended.end
        meters = ended.endMeters
        stay = ended.stay.map(SavedStay.init)
        (way, settled) = ended.line.saved
    }

    var line: WaypointLine { WaypointLine(saved: way, settled: settled) }

    /// Nil where its words are not known.
    var ended: EndedEvent? {
        event.event.map {
            EndedEvent(event: $0, end: end, endMeters: meters, stay: stay?.center, line: line)
        }
    }
}

/// The place of a stay and how far its fixes lie around it.
struct SavedStay: Equatable, Sendable, Codable {
    var place: SavedPlace
    /// The times of its first and its last fix.
    var since: Timestamp
    var newest: Timestamp
    /// Half of the fixes lie nearer than this, metres.
    var spread: Double
    /// How many fixes of 5 m accuracy it is worth.
    var weight: Double

    init(_ center: RobustCenter) {
        place = SavedPlace(center.coordinate)
        since = center.since
        newest = center.newest
        spread = center.spreadMeters
        weight = center.weightSum
    }

    /// Nil where its place is none.
    var center: RobustCenter? {
        place.coordinate.map {
            RobustCenter(coordinate: $0, since: since, newest: newest, spreadMeters: spread, weightSum: weight)
        }
    }
}

extension WaypointLine {
    /// Its points, and how much of them is simplified; nothing where there are none.
    fileprivate var saved: (way: [TimelineWaypoint]?, settled: Int?) {
        points.isEmpty ? (nil, nil) : (points, settled)
    }

    fileprivate init(saved way: [TimelineWaypoint]?, settled: Int?) {
        self.init(points: way ?? [], settled: settled ?? 0)
    }
}

extension OpenEvent.Phase {
    fileprivate var word: String {
        switch self {
        case .unknown: "UNKNOWN"
        case .stationary: "STATIONARY"
        case .transport: "IN_TRANSPORT"
        case .offTheGrid: "OFF_THE_GRID"
        }
    }

    fileprivate init?(word: String, reason: OffTheGridReason?) {
        switch word {
        case "UNKNOWN": self = .unknown
        case "STATIONARY": self = .stationary
        case "IN_TRANSPORT": self = .transport
        case "OFF_THE_GRID": self = .offTheGrid(reason ?? .powerOff)
        default: return nil
        }
    }
}

extension Carrier {
    fileprivate var word: String {
        switch self {
        case .none: "none"
        case .foot: "foot"
        case .running: "running"
        case .bicycle: "bicycle"
        case .vehicle: "vehicle"
        }
    }

    init?(word: String) {
        guard let known = Self.allCases.first(where: { $0.word == word }) else { return nil }
        self = known
    }
}
