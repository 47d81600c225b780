import OdographCivilTime
import OdographGeodesy
import OdographModel

/// Ends stops and begins trips.
///
/// A likely departure is published at once. It is tentative until the vehicle is clearly out of the noise around the
/// stop. If it turns out to be none, it is withdrawn and the stop goes on.
struct Departures {
    let history: MovementHistory
    let fix: Fix
    /// Nil where the receiver is mounted in a vehicle.
    let pedestrian: PedestrianDetector?

    private var rules: SegmentationRules { history.rules }

    private func detector(_ event: OpenEvent, at center: RobustCenter) -> DepartureDetector {
        DepartureDetector(history: history, fix: fix, event: event, center: center, pedestrian: pedestrian)
    }

    /// Ends the stop that lasts when it was left. Decides between a stop and a trip when that is unknown.
    func detect(in events: inout EventSequence, into batch: inout RevisionBatch) {
        guard let event = events.open, let center = event.stop?.center else { return }
        let detector = detector(event, at: center)
        let step = events.isHalt(until: event.restStart, rules) ? detector.queueStep : nil
        let isHalt = events.isHalt(until: step ?? fix.timestamp, rules)
        // Windows as long as a short trip show no movement of several of them.
        let isMeasured = pedestrian == nil || history.isSparse
        let slow = isHalt ? step : isMeasured ? detector.measured : nil
        if let begin = detector.driveOff ?? detector.certain ?? slow {
            if isDoubtfulWalk(in: events, startingAt: begin) {
                // The queue has moved on to the next halt.
                if !history.isMoving { events.open?.stop?.center = RobustCenter(at: fix) }
                return
            }
            return start(
                at: begin, standingUntil: detector.standEnd(before: begin), in: &events, into: &batch)
        }
        if let begin = detector.tentative, !events.isHalt(until: begin, rules) {
            return start(at: begin, tentatively: TentativeDeparture(), in: &events, into: &batch)
        }
        if let exit = pedestrian?.indoorExit(from: event, fix: fix, in: history) {
            let departure = TentativeDeparture(indoorPosition: exit.indoorPosition)
            return start(at: exit.time, tentatively: departure, in: &events, into: &batch)
        }
        if event.isUnknown { detectFirstStop(event, at: center, in: &events, into: &batch) }
    }

    /// Makes an unknown event a stop, or a trip and a stop, after it has been at rest for the stationary interval.
    private func detectFirstStop(
        _ event: OpenEvent, at center: RobustCenter, in events: inout EventSequence, into batch: inout RevisionBatch
    ) {
        let arrivals = Arrivals(history: history, fix: fix, pedestrian: pedestrian)
        let radius = center.radiusMeters(for: fix)
        guard
            let begin = arrivals.stopStart(
                intervalSeconds: rules.intervalSeconds, accuracyMeters: radius, after: event.start)
        else { return }
        // A short change of the position is no trip.
        let isTrip =
            begin.seconds(since: event.start) >= rules.shortestSegmentSeconds
            && history.odometerMeters(at: begin) - event.startMeters >= rules.shortestEndedSegmentMeters
        if isTrip || !RideDetector(history: history).rides(after: event.start).isEmpty {
            start(at: event.start, in: &events, into: &batch)
            _ = arrivals.detect(in: &events, into: &batch)
        } else {
            events.open?.phase = .stationary(event.stop(at: center))
            events.emitRevision(into: &batch)
        }
    }

    /// Ends the open event, or finds that it was part of the trip, and begins a trip.
    /// - Parameters:
    ///   - standEnd: the time until which the vehicle has stood. It decides between a halt and a stop. Nil where the
    ///     event is no halt.
    ///   - departure: Nil where the departure is certain.
    private func start(
        at begin: Timestamp, standingUntil standEnd: Timestamp? = nil,
        tentatively departure: TentativeDeparture? = nil, in events: inout EventSequence,
        into batch: inout RevisionBatch
    ) {
        guard let event = events.open else { return }
        let shortest = event.restStart.advanced(bySeconds: rules.timeline.shortestStopSeconds)
        // A stop that was long enough by the odometer does not get shorter by the time for boarding.
        let begin = standEnd.map { $0 >= shortest } == true ? max(begin, shortest) : begin
        // A distance counts only once.
        let meters = max(history.odometerMeters(at: begin), event.startMeters)
        if goesOn(events, at: standEnd ?? begin) {
            events.withdrawOpen(into: &batch)
            // The halt is no part of a later stop.
            events.open?.settledUntil = begin
            return events.emitRevision(into: &batch)
        }
        let mode = history.dominantMode(from: begin, to: history.end ?? begin) ?? history.modeBySpeed(since: begin)
        var trip = Trip(motion: TripMotion(mode: mode))
        trip.departurePlace = event.stop?.center?.coordinate
        let isNone = events.isFirstTooShort(endingAt: begin)
        // A time without rest is no stop, as between two sparse positions after a gap.
        let isTooShort =
            isNone
            || event.isUnknown
                && (begin.seconds(since: event.start) < rules.shortestSegmentSeconds
                    || !history.hasRested(from: event.start, to: begin))
        if isTooShort {
            // The event keeps its identifier and gets its true kind.
            trip.motion = event.motion
            trip.motion.mode = mode
            trip.arrivalMode = event.arrivalMode
            events.open?.phase = .trip(trip)
        } else {
            if event.isUnknown, let stop = event.stop { events.open?.phase = .stationary(stop) }
            events.endProvisionally(at: begin, meters: meters, into: &batch)
            // A tentative trip may turn out to be a stop, after a rest that is longer than a halt of a vehicle.
            if departure != nil, event.arrivalMode?.isOnWheels == false { trip.arrivalMode = event.arrivalMode }
            events.begin(.trip(trip), at: begin, meters: meters)
        }
        if let start = events.open?.start { events.polyline.removePoints(before: start) }
        if events.ended?.event.stop?.center != nil { events.ended?.departure = departure }
        events.emitRevision(into: &batch)
    }

    /// Whether a movement at the speed of a walk may be a vehicle that goes on after a halt: a queue rolls to the next
    /// light. It would divide the trip for good, so it is no walk before it has lasted without a rest for as long as a
    /// walk that ends a segment on wheels.
    private func isDoubtfulWalk(in events: EventSequence, startingAt begin: Timestamp) -> Bool {
        guard let event = events.open, events.isHalt(until: begin, rules),
            let mode = history.trailingMode(after: begin)?.mode, !mode.isOnWheels
        else { return false }
        return !history.isCertain(mode, since: begin)
            && walksFromVehicle(event, before: begin).isEmpty
    }

    private func walksFromVehicle(_ event: OpenEvent, before end: Timestamp) -> [WalkFromVehicle] {
        pedestrian?.walks(in: history).walks(from: event.start, to: end) ?? []
    }

    /// Whether the trip before the stop goes on at a time: the stop was too short for one, and no person left the
    /// vehicle and came back to it.
    private func goesOn(_ events: EventSequence, at begin: Timestamp) -> Bool {
        let newest = history.trailingMode(after: begin)
        guard let event = events.open, events.isHalt(until: begin, rules),
            // A vehicle that rolls to the next light at the speed of a walk is still a vehicle.
            newest?.mode.isOnWheels != false, walksFromVehicle(event, before: begin).isEmpty
        else { return false }
        let start = newest?.start ?? begin
        guard let vehicle = events.ended?.walk?.place,
            let place = history.windows.first(where: { $0.time >= start })?.coordinate
        else { return true }
        // In a queue the vehicle goes on from where the walk ended.
        return vehicle.distanceMeters(to: place) > rules.returnRadiusMeters
    }

    /// Decides on a tentative departure.
    /// - Returns: whether the trip can neither end nor change yet: the departure is still tentative, or was none.
    func resolveTentative(in events: inout EventSequence, into batch: inout RevisionBatch) -> Bool {
        guard let event = events.open, let departure = events.ended?.departure, let center = events.stopCenter else {
            return false
        }
        if let begin = detector(event, at: center).certain {
            confirm(event, at: begin, in: &events, into: &batch)
            return false
        }
        guard let end = history.end else { return true }
        let seconds = end.seconds(since: event.start)
        let isInside = history.hasReturned(to: center.coordinate, radiusMeters: center.coreRadiusMeters(for: fix))
        let hasStayed: Bool
        if let pedestrian, let indoors = departure.indoorPosition {
            hasStayed = pedestrian.hasStayed(indoors: indoors, isInside: isInside, seconds: seconds, in: history)
        } else {
            hasStayed = isInside || history.trailingRestSeconds >= rules.longestWaitSeconds
        }
        guard hasStayed || seconds >= max(rules.timeline.shortestStopSeconds, rules.longestWaitSeconds) else {
            return true
        }
        events.withdrawTentativeDeparture(into: &batch)
        if !isInside {
            // The vehicle or person stays at another place nearby, which is no other stop.
            let arrivals = Arrivals(history: history, fix: fix, pedestrian: pedestrian)
            events.open?.stop?.center = arrivals.center(from: event.start)
        }
        events.polyline.removePoints(before: event.start)
        return true
    }

    /// Makes a tentative departure certain: that of the published trip, or of a later one.
    private func confirm(
        _ event: OpenEvent, at begin: Timestamp, in events: inout EventSequence, into batch: inout RevisionBatch
    ) {
        guard begin.seconds(since: event.start) < rules.shortestSegmentSeconds else {
            // Until then the movement was within the stop.
            events.withdrawOpen(into: &batch)
            return start(at: begin, in: &events, into: &batch)
        }
        events.ended?.departure = nil
        let mode = history.dominantMode(from: event.start, to: history.end ?? begin)
        guard mode != event.motion.mode else { return }
        events.open?.trip?.motion.mode = mode
        events.emitRevision(into: &batch)
    }
}
