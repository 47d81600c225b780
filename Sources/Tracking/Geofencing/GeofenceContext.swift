import OdographCivilTime
import OdographCrontab
import OdographGeodesy
import OdographModel

/// The geofences in force, and what the states of all of them share: the event queue and working memory.
struct GeofenceContext: Sendable {
    var set = GeofenceSet()
    /// The wall clock of the geofences' schedules.
    var zone = ZoneRules.utc
    var events = GeofenceEventQueue()
    private var intersection = SegmentIntersection()

    mutating func emit(_ change: GeofenceChange, of slot: ShapeIndex.Slot, confirmedAt time: Timestamp) {
        events.append(change, of: slot, in: set, confirmedAt: time)
    }

    /// The state of a geofence's schedule at an instant.
    func opening(of slot: ShapeIndex.Slot, at time: Timestamp) -> GeofenceOpening {
        set.ruleWithoutTexts(slot).map { GeofenceOpening($0, at: time, in: zone) }
            ?? GeofenceOpening(isOpen: false, nextChange: nil)
    }

    // MARK: Geometry

    /// The time at which the route crosses the edge; nil where it does not, or is not known.
    mutating func crossing(by sighting: GeofenceSighting) -> Timestamp? {
        guard let previous = sighting.previous else { return nil }
        return set.index.edgeFraction(
            sighting.slot, from: previous.coordinate, to: sighting.position.coordinate, using: &intersection
        ).map { previous.time.advanced(bySeconds: $0 * sighting.time.seconds(since: previous.time)) }
    }

    /// The time inside on a route that begins and ends outside; nil where the route is not deeper inside than noise.
    mutating func traversal(by sighting: GeofenceSighting) -> ClosedRange<Timestamp>? {
        guard let previous = sighting.previous else { return nil }
        let position = sighting.position
        set.index.findCrossing(
            &intersection, through: sighting.slot, from: previous.coordinate, to: position.coordinate)
        guard let first = intersection.insideFractions.first, let last = intersection.insideFractions.last,
            first.lowerBound > 0, last.upperBound < 1
        else { return nil }
        let middle = (first.lowerBound + first.upperBound) / 2
        let deepest = previous.coordinate.point(towards: position.coordinate, share: middle)
        let coarser = previous.accuracyMeters > position.accuracyMeters ? previous : position
        guard isWellInside(sighting.slot, deepest, coarser) else { return nil }
        let seconds = position.time.seconds(since: previous.time)
        let entered = previous.time.advanced(bySeconds: first.lowerBound * seconds)
        return entered...previous.time.advanced(bySeconds: last.upperBound * seconds)
    }

    /// Whether a place is deeper inside than the noise of a position.
    func isWellInside(_ slot: ShapeIndex.Slot, _ place: Coordinate, _ position: GeofencePosition) -> Bool {
        let depth = position.accuracyMeters * GeofenceThresholds.entryDepthRatio
        return set.index.isInside(slot, byMeters: min(depth, set.index.equivalentRadiusMeters(slot) / 2), place)
    }

    /// Whether a fix is good enough as evidence that the vehicle is in a geofence of this size.
    func isAccurateEnough(_ sighting: GeofenceSighting) -> Bool {
        let radius = set.index.equivalentRadiusMeters(sighting.slot)
        return sighting.position.accuracyMeters <= GeofenceThresholds.maximumAccuracyRatio * radius
    }
}

/// The state of a geofence's own schedule.
struct GeofenceOpening: Equatable, Sendable, Codable {
    var isOpen: Bool
    /// The time at which the schedule opens or closes next; nil for never.
    var nextChange: Timestamp?
}

extension GeofenceOpening {
    init(_ rule: GeofenceRule, at time: Timestamp, in zone: ZoneRules) {
        isOpen = rule.schedule?.isOpen(at: time, in: zone) ?? true
        nextChange = rule.schedule?.nextChange(after: time, in: zone)
    }
}

extension Coordinate {
    /// A point of the route to another one, which is straight in longitude and latitude.
    fileprivate func point(towards other: Coordinate, share: Double) -> Coordinate {
        let plane = LocalPlane(origin: self)
        let end = plane.eastNorthMeters(of: other)
        return plane.coordinate(
            of: LocalPoint(eastMeters: end.eastMeters * share, northMeters: end.northMeters * share))
    }
}
