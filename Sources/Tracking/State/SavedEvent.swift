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

    /// - Parameter departure: Its departure, while that is tentative.
    init(_ event: OpenEvent, departure: TentativeDeparture? = nil) {
        let motion = event.motion
        eventID = event.id.description
        revision = event.revision
        switch event.phase {
        case .unknown: type = "UNKNOWN"
        case .stationary: type = "STATIONARY"
        case .trip: type = "IN_TRANSPORT"
        case .offTheGrid(let why): (type, reason) = ("OFF_THE_GRID", why)
        }
        start = event.start
        startMeters = event.startMeters
        carrier = motion.mode?.savedName
        cameBy = event.arrivalMode?.savedName
        railSeconds = motion.aboveRoadSpeedSeconds > 0 ? motion.aboveRoadSpeedSeconds : nil
        fastSeconds = motion.aboveCyclingSpeedSeconds > 0 ? motion.aboveCyclingSpeedSeconds : nil
        decided = event.settledUntil == event.start ? nil : event.settledUntil
        isDoubted = departure == nil ? nil : true
        indoors = departure?.indoorPosition.map(SavedCoordinate.init)
    }

    /// The event. Nil where its words are not known.
    /// - Parameters:
    ///   - center: The place of a stop.
    ///   - departurePlace: The place where a trip began.
    func openEvent(at center: RobustCenter? = nil, from departurePlace: Coordinate? = nil) -> OpenEvent? {
        let motion = TripMotion(
            mode: carrier.flatMap(MovementMode.init(savedName:)), aboveRoadSpeedSeconds: railSeconds ?? 0,
            aboveCyclingSpeedSeconds: fastSeconds ?? 0)
        let arrivalMode = cameBy.flatMap(MovementMode.init(savedName:))
        let stop = Stop(center: center, arrivalMode: arrivalMode, formerMotion: motion)
        let phase: OpenEvent.Phase
        switch type {
        case "UNKNOWN": phase = .unknown(stop)
        case "STATIONARY": phase = .stationary(stop)
        case "IN_TRANSPORT":
            phase = .trip(Trip(motion: motion, arrivalMode: arrivalMode, departurePlace: departurePlace))
        case "OFF_THE_GRID": phase = .offTheGrid(reason ?? .powerOff)
        default: return nil
        }
        guard let id = TimelineEventID(eventID) else { return nil }
        var event = OpenEvent(id: id, revision: revision, phase: phase, start: start, startMeters: startMeters)
        event.settledUntil = decided ?? start
        return event
    }

    /// The departure of the event, if it is tentative.
    var departure: TentativeDeparture? {
        isDoubted == true ? TentativeDeparture(indoorPosition: indoors?.coordinate) : nil
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
