import CivilTime
import Geodesy

/// What must not get lost of a timeline: the event that lasts, and what was told of the time before it.
struct SavedTimeline: Equatable, Sendable, Codable {
    var event: SavedEvent?
    /// What it ended, as long as that may turn out to go on.
    var ended: SavedEndedEvent?
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
    var stay: SavedStop?
    /// The geofence that was told of it.
    var venue: String?
    /// The place that the way which lasts began at, in its first leg.
    var left: SavedCoordinate?
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

    init(_ timeline: TripSegmenter, lastFix: Fix?, venue: String?) {
        let events = timeline.events
        isUnseen = events.lastFix == nil && lastFix != nil ? true : nil
        seen = events.lastFix == lastFix ? nil : events.lastFix.map(SavedFix.init)
        seenAt = events.lastTime
        absence = events.gapEvidence.reason
        pausedUntil = events.gapEvidence.downtime?.end
        event = events.open.map { SavedEvent($0, departure: events.ended?.departure) }
        ended = events.ended.map(SavedEndedEvent.init)
        lastUpdate = events.emitter.lastUpdate
        stay = events.open?.stop?.center.map(SavedStop.init)
        self.venue = events.open?.isStationary == true ? venue : nil
        left = events.open?.trip?.departurePlace.map(SavedCoordinate.init)
        lastWheels = events.lastVehicleMode?.savedName
        (way, settled) = events.polyline.saved
        toldSince = events.publishedSince
        toldFrom = timeline.published.upcoming?.start
        toldTo = timeline.published.upcoming?.end
        leap = timeline.published.clockJump.map { SavedEvent($0.event) }
        leapEnd = timeline.published.clockJump?.end
    }

    var line: WaypointPolyline { WaypointPolyline(saved: way, settled: settled) }

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

/// An event that has ended unless what came after it turns out to be none.
struct SavedEndedEvent: Equatable, Sendable, Codable {
    var event: SavedEvent
    var end: Timestamp
    /// The odometer's total there, metres.
    var meters: Double
    /// Of a stay: its place.
    var stay: SavedStop?
    /// Of a way: its line, and how much of that is simplified.
    var way: [TimelineWaypoint]?
    var settled: Int?

    private enum CodingKeys: String, CodingKey {
        case event, end, meters, stay, way
        case settled = "way_settled"
    }

    init(_ ended: ProvisionallyEndedEvent) {
        event = SavedEvent(ended.event)
        end = ended.end
        meters = ended.endMeters
        stay = ended.event.stop?.center.map(SavedStop.init)
        (way, settled) = ended.polyline.saved
    }

    var line: WaypointPolyline { WaypointPolyline(saved: way, settled: settled) }

    /// Nil where its words are not known.
    var ended: ProvisionallyEndedEvent? {
        event.openEvent(at: stay?.center).map {
            ProvisionallyEndedEvent(event: $0, end: end, endMeters: meters, polyline: line)
        }
    }
}

/// The place of a stay and how far its fixes lie around it.
struct SavedStop: Equatable, Sendable, Codable {
    var place: SavedCoordinate
    /// The times of its first and its last fix.
    var since: Timestamp
    var newest: Timestamp
    /// Half of the fixes lie nearer than this, metres.
    var spread: Double
    /// How many fixes of 5 m accuracy it is worth.
    var weight: Double

    init(_ center: RobustCenter) {
        place = SavedCoordinate(center.coordinate)
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

extension WaypointPolyline {
    /// Its points, and how much of them is simplified; nothing where there are none.
    fileprivate var saved: (way: [TimelineWaypoint]?, settled: Int?) {
        points.isEmpty ? (nil, nil) : (points, simplifiedCount)
    }

    fileprivate init(saved way: [TimelineWaypoint]?, settled: Int?) {
        self.init(points: way ?? [], settled: settled ?? 0)
    }
}
