import CivilTime
import Geodesy

/// An event in a saved state, in the terms and units of the wire format.
struct SavedEvent: Equatable, Sendable, Codable {
    var eventID: String
    var revision: Int
    /// The phase: `STATIONARY`, `IN_TRANSPORT`, `OFF_THE_GRID` or `UNKNOWN`.
    var type: String
    var reason: OffTheGridReason?
    var start: Timestamp
    /// The odometer's total at the start, metres.
    var startMeters: Double
    /// The movement mode: `foot`, `running`, `bicycle` or `vehicle`.
    var carrier: String?
    /// The movement mode before the stop or segment.
    var cameBy: String?
    /// The time above the speed of road vehicles, and above that of cyclists, seconds.
    var railSeconds: Double?
    var fastSeconds: Double?
    /// The instant before which decisions are final; absent: the start.
    var decided: Timestamp?
    /// Whether it is a departure that is not certain yet; absent: no.
    var isDoubted: Bool?
    /// The position inside the stop, while the only evidence for the departure is that the receiver left a building.
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

    /// The open event; nil if a saved name is unknown.
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
    /// The name in a saved state.
    var savedName: String {
        switch self {
        case .stationary: "none"
        case .foot: "foot"
        case .running: "running"
        case .bicycle: "bicycle"
        case .vehicle: "vehicle"
        }
    }

    /// Creates a mode from its saved name; nil if the name is unknown.
    init?(savedName: String) {
        guard let known = Self.allCases.first(where: { $0.savedName == savedName }) else { return nil }
        self = known
    }
}
