import CivilTime
import Crontab
import Geodesy

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
    func window(of slot: ShapeIndex.Slot, at time: Timestamp) -> GeofenceWindow {
        set.ruleWithoutTexts(slot).map { GeofenceWindow($0, at: time, in: zone) }
            ?? GeofenceWindow(isOpen: false, nextChange: nil)
    }

    // MARK: Geometry

    /// The instant at which the route crosses a geofence's edge; nil where it does not, or is not known.
    mutating func crossing(of slot: ShapeIndex.Slot, by step: GeofenceStep) -> Timestamp? {
        guard let previous = step.previous else { return nil }
        return set.index.edgeFraction(
            slot, from: previous.coordinate, to: step.position.coordinate, using: &intersection
        ).map { previous.time.advanced(bySeconds: $0 * step.time.seconds(since: previous.time)) }
    }

    /// The part of the route inside a geofence that contains neither of its ends; nil where it is not deeper than noise.
    mutating func traversal(
        of slot: ShapeIndex.Slot, from previous: GeofencePosition, to position: GeofencePosition
    ) -> ClosedRange<Timestamp>? {
        set.index.findCrossing(
            &intersection, through: slot, from: previous.coordinate, to: position.coordinate)
        guard let first = intersection.insideFractions.first, let last = intersection.insideFractions.last,
            first.lowerBound > 0, last.upperBound < 1
        else { return nil }
        let middle = (first.lowerBound + first.upperBound) / 2
        let deepest = previous.coordinate.point(towards: position.coordinate, share: middle)
        guard isWellInside(slot, deepest, accuracyMeters: max(position.accuracyMeters, previous.accuracyMeters))
        else { return nil }
        let seconds = position.time.seconds(since: previous.time)
        return previous.time.advanced(
            bySeconds: first.lowerBound * seconds)...previous.time.advanced(
                bySeconds: last.upperBound * seconds)
    }

    func isWellInside(_ slot: ShapeIndex.Slot, _ place: Coordinate, accuracyMeters: Double) -> Bool {
        let needed = min(
            accuracyMeters * GeofenceThresholds.entryDepthRatio, set.index.equivalentRadiusMeters(slot) / 2)
        return set.index.isInside(slot, byMeters: needed, place)
    }

    /// Whether a fix is good enough as evidence that the vehicle is in a geofence of this size.
    func isAccurateEnough(_ position: GeofencePosition, for slot: ShapeIndex.Slot) -> Bool {
        position.accuracyMeters <= GeofenceThresholds.maximumAccuracyRatio * set.index.equivalentRadiusMeters(slot)
    }
}

/// The state of a geofence's own schedule.
struct GeofenceWindow: Equatable, Sendable {
    var isOpen: Bool
    /// The time at which the schedule opens or closes next; nil for never.
    var nextChange: Timestamp?
}

extension GeofenceWindow {
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
