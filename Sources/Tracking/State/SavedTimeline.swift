import OdographCivilTime
import OdographGeodesy
import OdographModel

/// The durable state of a timeline: the open event and the published intervals.
struct SavedTimeline: Equatable, Sendable, Codable {
    var event: SavedEvent?
    /// The previous event while it may still continue.
    var ended: SavedEndedEvent?
    /// The last fix of the timeline if it differs from the last accepted fix.
    var seen: SavedFix?
    /// Whether the timeline has no last fix although one was accepted; absent: no.
    var isUnseen: Bool?
    /// The time of its last fix, also if that fix was forgotten.
    var seenAt: Timestamp?
    /// The reason for a gap, if no positions follow.
    var absence: OffTheGridReason?
    /// The restart time of an agent that was off since the last position.
    var pausedUntil: Timestamp?
    /// The largest update time that was emitted.
    var lastUpdate: Timestamp?
    /// The place of the stop.
    var stay: SavedStop?
    /// The published geofence of the stop.
    var venue: String?
    /// The start of the current trip, during its first segment.
    var left: SavedCoordinate?
    /// The mode of the last segment on wheels.
    var lastWheels: String?
    /// The polyline of the current trip, and the number of its simplified points.
    var way: [TimelineWaypoint]?
    var settled: Int?
    /// The start of the published interval that the open event continues.
    var toldSince: Timestamp?
    /// A published interval in the future.
    var toldFrom: Timestamp?
    var toldTo: Timestamp?
    /// A gap that may become shorter, and its end.
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

/// An event that has ended unless a later revision undoes that.
struct SavedEndedEvent: Equatable, Sendable, Codable {
    var event: SavedEvent
    var end: Timestamp
    /// The odometer's total at the end, metres.
    var meters: Double
    /// The place, for a stop.
    var stay: SavedStop?
    /// The polyline, for a trip, and the number of its simplified points.
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

    /// The event; nil if a saved name is unknown.
    var ended: ProvisionallyEndedEvent? {
        event.openEvent(at: stay?.center).map {
            ProvisionallyEndedEvent(event: $0, end: end, endMeters: meters, polyline: line)
        }
    }
}

/// The place of a stop and the spread of its fixes.
struct SavedStop: Equatable, Sendable, Codable {
    var place: SavedCoordinate
    /// The times of the first and the last fix.
    var since: Timestamp
    var newest: Timestamp
    /// The median distance of the fixes from the place, metres.
    var spread: Double
    /// The sum of the fixes' weights; a fix of 5 m accuracy counts 1.
    var weight: Double

    init(_ center: RobustCenter) {
        place = SavedCoordinate(center.coordinate)
        since = center.since
        newest = center.newest
        spread = center.spreadMeters
        weight = center.weightSum
    }

    /// The centre; nil if the place is invalid.
    var center: RobustCenter? {
        place.coordinate.map {
            RobustCenter(coordinate: $0, since: since, newest: newest, spreadMeters: spread, weightSum: weight)
        }
    }
}

extension WaypointPolyline {
    /// The points and the number of simplified ones; nil if there are none.
    fileprivate var saved: (way: [TimelineWaypoint]?, settled: Int?) {
        points.isEmpty ? (nil, nil) : (points, simplifiedCount)
    }

    fileprivate init(saved way: [TimelineWaypoint]?, settled: Int?) {
        self.init(points: way ?? [], settled: settled ?? 0)
    }
}
