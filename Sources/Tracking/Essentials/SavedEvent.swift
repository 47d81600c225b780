import CivilTime
import Geodesy

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
    /// Whether it is a way out of a stay that nobody can be sure of yet; absent: no.
    var isDoubted: Bool?
    /// While it is doubted and no more is known than that somebody came out of a building: where in the stay he was.
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
    /// How it is called in a saved state.
    var word: String {
        switch self {
        case .none: "none"
        case .foot: "foot"
        case .running: "running"
        case .bicycle: "bicycle"
        case .vehicle: "vehicle"
        }
    }

    /// Nil where the word is not known.
    init?(word: String) {
        guard let known = Self.allCases.first(where: { $0.word == word }) else { return nil }
        self = known
    }
}
