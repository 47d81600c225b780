import OdographCivilTime
import OdographGeodesy

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
