import OdographCivilTime
import OdographGeodesy

/// The open event and the published intervals.
struct FormerTimeline: Sendable, Decodable {
    let event: FormerEvent?
    /// The previous event while it may still continue.
    let ended: FormerEndedEvent?
    /// The last fix of the timeline if it differs from the last accepted fix.
    let seen: FormerFix?
    /// Whether the timeline has no last fix although one was accepted; absent: no.
    let isUnseen: Bool?
    /// The time of its last fix, also if that fix was forgotten.
    let seenAt: Timestamp?
    /// The reason for a gap, if no positions follow.
    let absence: OffTheGridReason?
    /// The restart time of an agent that was off since the last position.
    let pausedUntil: Timestamp?
    /// The largest update time that was emitted.
    let lastUpdate: Timestamp?
    /// The place of the stop.
    let stay: FormerStop?
    /// The published geofence of the stop.
    let venue: String?
    /// The start of the current trip, during its first segment.
    let left: FormerCoordinate?
    /// The mode of the last segment on wheels.
    let lastWheels: String?
    /// The polyline of the current trip, and the number of its simplified points.
    let way: [TimelineWaypoint]?
    let settled: Int?
    /// The start of the published interval that the open event continues.
    let toldSince: Timestamp?
    /// A published interval in the future.
    let toldFrom: Timestamp?
    let toldTo: Timestamp?
    /// A gap that may become shorter, and its end.
    let leap: FormerEvent?
    let leapEnd: Timestamp?

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

    var polyline: WaypointPolyline { WaypointPolyline(points: way ?? [], settled: settled ?? 0) }

    var openEvent: OpenEvent? { event?.openEvent(at: stay?.center, from: left?.coordinate) }

    /// The event before the open one. Only a stop with a known place can have been left tentatively.
    var endedEvent: ProvisionallyEndedEvent? {
        var known = ended?.ended
        if known?.event.stop?.center != nil, openEvent?.trip != nil { known?.departure = event?.departure }
        return known
    }

    var publishedInterval: PublishedInterval {
        var published = PublishedInterval()
        if let toldFrom, let toldTo { published.upcoming = PublishedInterval.TimeSpan(start: toldFrom, end: toldTo) }
        if let event = leap?.openEvent(), let leapEnd {
            published.clockJump = PublishedInterval.ClockJump(event: event, end: leapEnd)
        }
        return published
    }
}

/// An event.
struct FormerEvent: Sendable, Decodable {
    let eventID: String
    let revision: Int
    /// The phase: `STATIONARY`, `IN_TRANSPORT`, `OFF_THE_GRID` or `UNKNOWN`.
    let type: String
    let reason: OffTheGridReason?
    let start: Timestamp
    /// The odometer's total at the start, metres.
    let startMeters: Double
    /// The movement mode: `foot`, `running`, `bicycle` or `vehicle`.
    let carrier: String?
    /// The movement mode before the stop or segment.
    let cameBy: String?
    /// The time above the speed of road vehicles, and above that of cyclists, seconds.
    let railSeconds: Double?
    let fastSeconds: Double?
    /// The instant before which decisions are final; absent: the start.
    let decided: Timestamp?
    /// Whether it is a departure that is not certain yet; absent: no.
    let isDoubted: Bool?
    /// The position inside the stop, while the only evidence for the departure is that the receiver left a building.
    let indoors: FormerCoordinate?

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

    /// The event. Nil where its words are not known.
    /// - Parameters:
    ///   - center: The place of a stop.
    ///   - departurePlace: The place where a trip began.
    func openEvent(at center: RobustCenter? = nil, from departurePlace: Coordinate? = nil) -> OpenEvent? {
        let motion = TripMotion(
            mode: carrier.flatMap(MovementMode.init(formerName:)), aboveRoadSpeedSeconds: railSeconds ?? 0,
            aboveCyclingSpeedSeconds: fastSeconds ?? 0)
        let arrivalMode = cameBy.flatMap(MovementMode.init(formerName:))
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

/// An event that has ended unless a later revision undoes that.
struct FormerEndedEvent: Sendable, Decodable {
    let event: FormerEvent
    let end: Timestamp
    /// The odometer's total at the end, metres.
    let meters: Double
    /// The place, for a stop.
    let stay: FormerStop?
    /// The polyline, for a trip, and the number of its simplified points.
    let way: [TimelineWaypoint]?
    let settled: Int?

    private enum CodingKeys: String, CodingKey {
        case event, end, meters, stay, way
        case settled = "way_settled"
    }

    /// The event; nil if a saved name is unknown.
    var ended: ProvisionallyEndedEvent? {
        event.openEvent(at: stay?.center).map {
            ProvisionallyEndedEvent(
                event: $0, end: end, endMeters: meters,
                polyline: WaypointPolyline(points: way ?? [], settled: settled ?? 0))
        }
    }
}

/// The place of a stop and the spread of its fixes.
struct FormerStop: Sendable, Decodable {
    let place: FormerCoordinate
    /// The times of the first and the last fix.
    let since: Timestamp
    let newest: Timestamp
    /// The median distance of the fixes from the place, metres.
    let spread: Double
    /// The sum of the fixes' weights; a fix of 5 m accuracy counts 1.
    let weight: Double

    private enum CodingKeys: String, CodingKey { case place, since, newest, spread, weight }

    /// The centre; nil if the place is invalid.
    var center: RobustCenter? {
        place.coordinate.map {
            RobustCenter(coordinate: $0, since: since, newest: newest, spreadMeters: spread, weightSum: weight)
        }
    }
}

extension MovementMode {
    /// Creates a mode from its name in the former forms; nil if the name is unknown.
    init?(formerName: String) {
        switch formerName {
        case "none": self = .stationary
        case "foot": self = .foot
        case "running": self = .running
        case "bicycle": self = .bicycle
        case "vehicle": self = .vehicle
        default: return nil
        }
    }
}
