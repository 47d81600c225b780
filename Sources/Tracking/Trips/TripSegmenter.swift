import OdographCivilTime
import OdographGeodesy
import OdographModel

/// Divides the time into stops, trips and gaps. It decides which part examines an input, in which order.
struct TripSegmenter: Equatable, Sendable, Codable {
    var events: EventSequence
    var published = PublishedInterval()
    /// Nil where the receiver is mounted in a vehicle.
    var pedestrian: PedestrianDetector?
    /// Whether the vehicle moved in the newest window.
    var isMoving = false

    init(seed: TrackerSeed) {
        events = EventSequence(seed: seed)
    }

    /// The place of the stop that lasts. Nil where none lasts.
    var stationaryCenter: RobustCenter? { events.open?.isStationary == true ? events.open?.stop?.center : nil }

    func deadlines(_ rules: SegmentationRules) -> TimelineDeadlines { TimelineDeadlines(events: events, rules: rules) }

    // MARK: Fixes

    /// Takes an accepted fix, after ``endGapIfNeeded(at:odometerMeters:distance:into:)``.
    /// - Parameters:
    ///   - movement: The movement, if this fix completed a window of it.
    ///   - isStanding: Whether the wheels stand: then a stop does not end.
    mutating func update(
        with fix: Fix, odometerMeters: Double, movement: MovementTracker?, isStanding: Bool = false,
        into batch: inout RevisionBatch
    ) {
        let rules = batch.rules
        events.emitter.vehicle = rules.timeline.vehicle
        if events.open == nil {
            events.beginAndEmit(.unknown(Stop()), at: fix.timestamp, meters: odometerMeters, into: &batch)
        }
        events.lastMeters = odometerMeters
        if PublishedInterval.isBeforeOpenGap(fix, in: events) { return }
        events.gapEvidence = GapEvidence()
        updateStopCenter(with: fix)
        appendWaypoint(fix, rules: rules)
        events.lastFix = fix
        events.lastTime = fix.timestamp
        guard let movement else { return }
        let history = MovementHistory(movement, totalMeters: odometerMeters, rules: rules)
        isMoving = history.isMoving
        pedestrian = rules.timeline.vehicle == nil ? pedestrian ?? PedestrianDetector() : nil
        pedestrian?.update(with: history, at: events.stopCenter)
        if !(isStanding && events.open?.isStationary == true) { detectChange(at: fix, history, into: &batch) }
        finalizeEndedIfCertain(into: &batch)
    }

    /// Ends or divides the open event, if the history shows that it has changed.
    private mutating func detectChange(at fix: Fix, _ history: MovementHistory, into batch: inout RevisionBatch) {
        let departures = Departures(history: history, fix: fix, pedestrian: pedestrian)
        switch events.open?.phase {
        case .trip:
            if departures.resolveTentative(in: &events, into: &batch) { return }
            let arrivals = Arrivals(history: history, fix: fix, pedestrian: pedestrian)
            if arrivals.detect(in: &events, into: &batch) { return }
            let segments = Segments(history: history, pedestrian: pedestrian)
            segments.emitWalksFromVehicle(in: &events, into: &batch)
            segments.detectBoarding(in: &events, into: &batch)
            segments.detectModeChange(in: &events, into: &batch)
        case .stationary, .unknown: departures.detect(in: &events, into: &batch)
        case .offTheGrid, nil: break
        }
    }

    /// Emits the final revision of the event before the open one, when the open one can no longer turn out to be none.
    private mutating func finalizeEndedIfCertain(into batch: inout RevisionBatch) {
        guard let ended = events.ended, let open = events.open, let last = events.lastTime else { return }
        // The open event may have ended before it was long enough, and this may be found later.
        let isYoung = last.seconds(since: open.restStart) < batch.rules.longestProvisionalSeconds
        let hasMoved = events.lastMeters - open.startMeters >= batch.rules.shortestSegmentMeters
        switch open.phase {
        case .stationary where isYoung: return
        case .trip where ended.departure != nil || !hasMoved: return
        case _ where isYoung && ended.event.isDistancePending(untilMeters: ended.endMeters): return
        // The trip may turn out to be none, or to be the same as that before it.
        case .trip(let trip) where isYoung:
            guard trip.motion.mode?.isOnWheels == true, ended.event.trip == nil else { return }
        case .unknown where last <= open.start: return
        case .stationary, .trip, .unknown, .offTheGrid: break
        }
        events.finalizeEndedAndEmitOpen(into: &batch)
    }

    /// Adds a fix to the line. At a stop only recent points are kept: a trip may have begun there.
    private mutating func appendWaypoint(_ fix: Fix, rules: SegmentationRules) {
        let recent = rules.longestWaitSeconds
        let isTrip = events.open?.trip != nil
        if isTrip || isMoving {
            events.polyline.append(fix, rule: rules.timeline, recentSeconds: recent)
        } else {
            events.polyline.appendWhileStationary(fix, rule: rules.timeline, recentSeconds: recent)
        }
        // The trip before a stop may go on.
        if !isTrip, events.ended?.event.trip == nil {
            events.polyline.removePoints(before: fix.timestamp.advanced(bySeconds: -recent))
        }
    }

    /// Adds a fix to the centre of the stop, unless it leads out of the stop.
    private mutating func updateStopCenter(with fix: Fix) {
        guard var center = events.stopCenter else {
            events.open?.stop?.center = RobustCenter(at: fix)
            return
        }
        let isOutside = center.coordinate.distanceMeters(to: fix.coordinate) > center.coreRadiusMeters(for: fix)
        if isOutside && isMoving { return }
        center.add(fix)
        events.stopCenter = center
    }

    // MARK: Gaps

    /// Ends the gap that a fix ends, if there is one, and takes steps of the receiver's date.
    /// - Parameter distance: the estimated distance since the last fix. Nil where it is not known.
    /// - Returns: whether the movement before the fix is unrelated to the movement after it.
    mutating func endGapIfNeeded(
        at fix: Fix, odometerMeters: Double, distance: GapDistance?, into batch: inout RevisionBatch
    ) -> Bool {
        let longest = batch.rules.timeline.gapSeconds
        let gap = events.gapSeconds(until: fix)
        if gap > longest { events.withdrawTentativeDeparture(into: &batch) }
        if let ahead = published.upcoming, fix.timestamp >= ahead.start {
            if gap > longest { goOffTheGrid(until: fix.timestamp, into: &batch) }
            published.skip(at: fix.timestamp, events: &events, into: &batch)
        }
        guard let open = events.open else { return false }
        if published.hasSteppedBack(to: fix, in: events, gapSeconds: longest) {
            published.stepBack(to: fix, odometerMeters: odometerMeters, events: &events, into: &batch)
            return true
        }
        guard events.lastTime != nil, !PublishedInterval.isBeforeOpenGap(fix, in: events),
            gap > longest || open.isOffTheGrid
        else { return false }
        // The vehicle's own signals can show that it drove, and came back.
        let hasDriven = (distance?.meters ?? 0) > 2 * SegmentationRules.samePlaceMeters + fix.assumedAccuracyMeters
        let isSamePlace =
            gap <= PublishedInterval.longestPlausibleGapSeconds && !hasDriven && isAtLastPosition(fix)
        if open.isStationary, isSamePlace { return false }
        goOffTheGrid(until: fix.timestamp, into: &batch)
        if isSamePlace, gap >= batch.rules.intervalSeconds, case .offTheGrid(let reason)? = events.open?.phase,
            reason.mayHideStop
        {
            // The vehicle was at one place before and after: it stood there. The event gets its true kind.
            events.open?.phase = .stationary(Stop(center: RobustCenter(at: fix)))
            events.emitRevision(into: &batch)
            return true
        }
        published.endGap(
            at: fix.timestamp, meters: odometerMeters, distance: distance, events: &events, into: &batch)
        events.beginUnknown(at: fix, odometerMeters: odometerMeters, into: &batch)
        return true
    }

    /// Takes the deadline ``TimelineDeadlines/gap``.
    mutating func handleGapTimeout(into batch: inout RevisionBatch) {
        guard let open = events.open, events.lastTime != nil else { return }
        if events.isDepartureTentative {
            // A stop does not end because there are no positions.
            events.withdrawTentativeDeparture(into: &batch)
        } else if open.isOffTheGrid {
            // The agent was off and is running again.
            events.open?.phase = .offTheGrid(events.gapEvidence.reason ?? .noFix)
            events.emitRevision(into: &batch)
        } else {
            goOffTheGrid(into: &batch)
        }
    }

    /// Begins a gap at the last position, unless one lasts already.
    /// - Parameter next: The time of the next position. Nil while there is none.
    private mutating func goOffTheGrid(until next: Timestamp? = nil, into batch: inout RevisionBatch) {
        guard let open = events.open, let last = events.lastTime, !open.isOffTheGrid else { return }
        let gap = batch.rules.timeline.gapSeconds
        let reason = events.gapEvidence.reason(since: last, until: next, gapSeconds: gap)
        events.goOffTheGrid(reason, at: max(last, open.start), into: &batch)
    }

    private func isAtLastPosition(_ fix: Fix) -> Bool {
        guard let place = events.stopCenter?.coordinate ?? events.lastFix?.coordinate else { return false }
        return place.distanceMeters(to: fix.coordinate) <= SegmentationRules.samePlaceMeters + fix.assumedAccuracyMeters
    }

    // MARK: Schedule

    /// Sets what further events contain, and do not contain, outside the schedule.
    mutating func applyOffScheduleRule(_ rule: OffScheduleRule?) {
        events.emitter.isPrivate = PrivacyBarrier(rule: rule).isPrivate
        events.emitter.tag = rule?.recordTag
    }

    /// Begins a gap, because tracking stops for a known reason.
    mutating func suspend(_ reason: OffTheGridReason, at now: Timestamp, into batch: inout RevisionBatch) {
        published.skip(at: now, events: &events, into: &batch)
        if let open = events.open { events.goOffTheGrid(reason, at: max(now, open.start), into: &batch) }
    }

    /// Applies a rule and ends the gap, or the private event, that lasts. Its positions are forgotten.
    mutating func resumeTracking(at now: Timestamp, with rule: OffScheduleRule?, into batch: inout RevisionBatch) {
        events.gapEvidence.reason = nil
        published.skip(at: now, events: &events, into: &batch)
        let begin = events.open.map { max(now, $0.start) }
        if let begin { events.finalizeOpen(at: begin, into: &batch) }
        events.forgetPositions()
        applyOffScheduleRule(rule)
        if let begin { events.beginAndEmit(.unknown(Stop()), at: begin, into: &batch) }
    }

    /// Applies a rule and divides the open event, so that each part is entirely on or off schedule.
    ///
    /// A rule that changes neither the tag nor the privacy divides nothing.
    mutating func splitOpenEvent(at now: Timestamp, with rule: OffScheduleRule?, into batch: inout RevisionBatch) {
        guard events.emitter.tag != rule?.recordTag || events.emitter.isPrivate != PrivacyBarrier(rule: rule).isPrivate
        else { return }
        events.withdrawTentativeDeparture(into: &batch)
        published.skip(at: now, events: &events, into: &batch)
        guard let event = events.open else { return applyOffScheduleRule(rule) }
        let begin = max(now, event.start)
        events.finalizeOpen(at: begin, into: &batch)
        events.polyline = WaypointPolyline()
        applyOffScheduleRule(rule)
        // The second part begins without the evidence of the first. Its mode is published with its second revision.
        var next = event
        next.stop = Stop(center: event.stop?.center)
        next.trip = Trip(departurePlace: event.trip?.departurePlace)
        events.beginAndEmit(next.phase, at: begin, into: &batch)
        events.open?.trip?.motion.mode = event.motion.mode
    }

    // MARK: End

    /// Ends every event, because the recording ends: with the last fix, or a gap now.
    mutating func finalize(at now: Timestamp, movement: MovementTracker, into batch: inout RevisionBatch) {
        events.withdrawTentativeDeparture(into: &batch)
        let last = events.lastTime ?? now
        published.skip(at: events.open?.isOffTheGrid == true ? now : last, events: &events, into: &batch)
        finalizeTrip(movement, into: &batch)
        guard let open = events.open else { return }
        let end = max(open.isOffTheGrid ? now : last, open.start)
        events.finalizeOpen(at: end, into: &batch)
        _ = published.fillGapToUpcoming(from: end, events: &events, into: &batch)
        published.finalizeClockJump(events: &events, into: &batch)
    }

    /// Ends the trip that the recording ends in, if it has stood for half of the interval, and divides it.
    private mutating func finalizeTrip(_ movement: MovementTracker, into batch: inout RevisionBatch) {
        guard events.open?.trip != nil, let fix = events.lastFix else { return }
        let history = MovementHistory(movement, totalMeters: events.lastMeters, rules: batch.rules)
        let arrivals = Arrivals(history: history, fix: fix, pedestrian: pedestrian)
        if arrivals.detect(in: &events, after: batch.rules.intervalSeconds / 2, into: &batch) { return }
        let segments = Segments(history: history, pedestrian: pedestrian)
        segments.finishTrip(at: fix.timestamp, in: &events, into: &batch)
        segments.addMissed(until: fix.timestamp, in: &events, into: &batch)
    }
}
