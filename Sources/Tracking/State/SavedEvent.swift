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
    var indoors: SavedCoordinate?

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
        type = event.phase.savedName
        if case .offTheGrid(let why) = event.phase { reason = why }
        start = event.start
        startMeters = event.startMeters
        carrier = event.mode?.savedName
        cameBy = event.arrivalMode?.savedName
        railSeconds = event.aboveRoadSpeedSeconds > 0 ? event.aboveRoadSpeedSeconds : nil
        fastSeconds = event.aboveCyclingSpeedSeconds > 0 ? event.aboveCyclingSpeedSeconds : nil
        decided = event.settledUntil == event.start ? nil : event.settledUntil
        isDoubted = event.isTentative ? true : nil
        indoors = event.indoorPosition.map(SavedCoordinate.init)
    }

    /// Nil where its words are not known.
    var openEvent: OpenEvent? {
        guard let id = TimelineEventID(eventID), let phase = OpenEvent.Phase(savedName: type, reason: reason) else {
            return nil
        }
        var event = OpenEvent(id: id, revision: revision, phase: phase, start: start, startMeters: startMeters)
        event.mode = carrier.flatMap(MovementMode.init(savedName:))
        event.arrivalMode = cameBy.flatMap(MovementMode.init(savedName:))
        event.aboveRoadSpeedSeconds = railSeconds ?? 0
        event.aboveCyclingSpeedSeconds = fastSeconds ?? 0
        event.settledUntil = decided ?? start
        event.isTentative = isDoubted ?? false
        event.indoorPosition = indoors?.coordinate
        return event
    }
}

extension OpenEvent.Phase {
    fileprivate var savedName: String {
        switch self {
        case .unknown: "UNKNOWN"
        case .stationary: "STATIONARY"
        case .transport: "IN_TRANSPORT"
        case .offTheGrid: "OFF_THE_GRID"
        }
    }

    fileprivate init?(savedName: String, reason: OffTheGridReason?) {
        switch savedName {
        case "UNKNOWN": self = .unknown
        case "STATIONARY": self = .stationary
        case "IN_TRANSPORT": self = .transport
        case "OFF_THE_GRID": self = .offTheGrid(reason ?? .powerOff)
        default: return nil
        }
    }
}

extension MovementMode {
    /// How it is called in a saved state.
    var savedName: String {
        switch self {
        case .stationary: "none"
        case .foot: "foot"
        case .running: "running"
        case .bicycle: "bicycle"
        case .vehicle: "vehicle"
        }
    }

    /// Nil where the word is not known.
    init?(savedName: String) {
        guard let known = Self.allCases.first(where: { $0.savedName == savedName }) else { return nil }
        self = known
    }
}
