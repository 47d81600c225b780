import OdographCivilTime
import OdographGeodesy
import OdographModel

/// The open event, the event before it as long as its end is provisional, and the operations that begin and end events.
///
/// Every event begins and ends by one of these operations. They keep the events without a hole and without an overlap.
/// Only they, ``PublishedInterval/endGap(at:meters:distance:events:into:)`` and
/// ``Tracker/resume(after:lastUpdate:quality:seed:)`` make revisions.
///
/// | Operation | Revisions, in this order |
/// |---|---|
/// | `begin`, `setAsideOpen`, `reopen`, `forgetPositions` | none |
/// | `beginAndEmit`, `beginUnknown` | the new event, provisional |
/// | `emitRevision` | the open event, provisional |
/// | `endProvisionally`, `endGap` | settles; the event before, final; the open event with its end, provisional |
/// | `finalizeEnded` | the event before, final |
/// | `finalizeEndedAndEmitOpen` | the event before, final; the open event, provisional |
/// | `finalizeOpen` | a tentative trip, withdrawn; settles; the event before, final; the open event, final |
/// | `finalize` | the given event, final; its time with the agent off before it, final, as an event of its own |
/// | `goOffTheGrid` | as `finalizeOpen`; then the gap, provisional. A gap for the same reason before it goes on |
/// | `setMode` | none, or the open event, withdrawn: it is a part of the trip before it |
/// | `withdrawOpen` | the open event, withdrawn, which is final; the event before goes on |
/// | `withdrawTentativeDeparture` | the same, and the stop that goes on, provisional |
///
/// *Settles*: decides what the open event was, by ``EndedEventRule``. It may be withdrawn, so that the event before
/// goes on.
struct EventSequence: Equatable, Sendable, Codable {
    var emitter: RevisionEmitter
    /// Nil before the first position and after the end of a recording.
    var open: OpenEvent?
    var ended: ProvisionallyEndedEvent?
    /// The start of the published time that the open event continues.
    var publishedSince: Timestamp?
    /// The mode of the last final segment on wheels.
    var lastVehicleMode: MovementMode?
    /// The last final trip or stop. Nil before the first one.
    private(set) var lastFinal: FinalEvent?
    /// The positions of the trip that lasts. At a stop the recent ones, because a trip may turn out to have begun.
    var polyline = WaypointPolyline()
    var gapEvidence = GapEvidence()
    /// The last fix of the timeline. Nil after the positions were forgotten.
    var lastFix: Fix?
    /// The time of the last fix. It stays known after the positions were forgotten.
    var lastTime: Timestamp?
    /// The odometer's total at the last fix, metres.
    var lastMeters = 0.0

    init(seed: TrackerSeed) {
        emitter = RevisionEmitter(seed: seed)
    }

    /// Whether the open event is a trip whose departure is tentative.
    var isDepartureTentative: Bool { ended?.departure != nil }

    /// The place of the stop that lasts, or that only a tentative departure has left. Nil on any other trip.
    var stopCenter: RobustCenter? {
        get { isDepartureTentative ? ended?.event.stop?.center : open?.stop?.center }
        set { if isDepartureTentative { ended?.event.stop?.center = newValue } else { open?.stop?.center = newValue } }
    }

    /// Opens an event without a revision of it: the first revision follows when more is known.
    ///
    /// The event before it goes on instead, if it has the same kind and its end is still provisional.
    mutating func begin(_ phase: OpenEvent.Phase, at start: Timestamp, meters: Double? = nil) {
        if let ended, ended.end == start, ended.event.phase.continues(as: phase) {
            reopen(ended, until: start)
        } else {
            open = makeEvent(phase, at: start, meters: meters ?? lastMeters)
        }
    }

    mutating func beginAndEmit(
        _ phase: OpenEvent.Phase, at start: Timestamp, meters: Double? = nil, into batch: inout RevisionBatch
    ) {
        begin(phase, at: start, meters: meters)
        emitRevision(into: &batch)
    }

    /// Begins an event at a fix that nothing before explains.
    mutating func beginUnknown(at fix: Fix, odometerMeters: Double, into batch: inout RevisionBatch) {
        polyline = WaypointPolyline()
        lastMeters = odometerMeters
        beginAndEmit(.unknown(Stop()), at: fix.timestamp, into: &batch)
    }

    /// Ends the open event and begins a gap.
    mutating func goOffTheGrid(_ reason: OffTheGridReason, at end: Timestamp, into batch: inout RevisionBatch) {
        settleForGood(at: end, meters: lastMeters, into: &batch)
        // A gap for the same reason goes on, if there was no movement since.
        if case .offTheGrid(reason) = open?.phase { return emitRevision(into: &batch) }
        finalizeSettled(at: end, meters: lastMeters, into: &batch)
        polyline = WaypointPolyline()
        beginAndEmit(.offTheGrid(reason), at: end, into: &batch)
    }

    private mutating func makeEvent(_ phase: OpenEvent.Phase, at start: Timestamp, meters: Double) -> OpenEvent {
        publishedSince = publishedSince ?? start
        return OpenEvent(id: emitter.nextID(), phase: phase, start: start, startMeters: meters)
    }

    /// Emits what is known of the open event now.
    mutating func emitRevision(into batch: inout RevisionBatch) {
        guard var event = open else { return }
        batch.events.append(emitter.revision(of: &event, at: batch.now, meters: lastMeters, fix: lastFix))
        open = event
        emitter.lastPublished = batch.now
    }

    /// Emits a revision of an event with its end and its line.
    private mutating func emitEnd(
        of event: inout OpenEvent, at end: Timestamp, meters: Double, polyline: WaypointPolyline, isFinal: Bool,
        into batch: inout RevisionBatch
    ) {
        var revision = emitter.revision(of: &event, at: batch.now, meters: meters, fix: lastFix)
        revision.end = max(end, event.start)
        revision.isProvisional = !isFinal
        revision.gapDistance = event.gapDistance(untilMeters: meters, isFinal: isFinal)
        if case .transport(var transport) = revision.kind {
            transport.waypoints = polyline.waypoints(from: event.start, to: end, rule: batch.rules.timeline)
            revision.kind = .transport(transport)
        }
        batch.events.append(revision)
    }

    /// Ends the open event with its final revision. A tentative trip is withdrawn first.
    mutating func finalizeOpen(at end: Timestamp, meters: Double? = nil, into batch: inout RevisionBatch) {
        let meters = meters ?? lastMeters
        settleForGood(at: end, meters: meters, into: &batch)
        finalizeSettled(at: end, meters: meters, into: &batch)
    }

    /// Decides what the open event was, if it ends for good: a tentative trip was none.
    private mutating func settleForGood(at end: Timestamp, meters: Double, into batch: inout RevisionBatch) {
        if isDepartureTentative { withdrawOpen(into: &batch) }
        settleOpen(at: end, meters: meters, into: &batch)
    }

    /// Emits the final revisions of the provisionally ended event and of the settled open event.
    private mutating func finalizeSettled(at end: Timestamp, meters: Double, into batch: inout RevisionBatch) {
        finalizeEnded(into: &batch)
        guard let event = open else { return }
        open = nil
        finalize(event, at: end, meters: meters, polyline: polyline, into: &batch)
    }

    /// Decides what the open event was, now that its end is known: nothing, a part of the event before it, or an event
    /// of another kind.
    /// - Parameter isOver: whether the event ends, so that it gets no longer.
    private mutating func settleOpen(
        at end: Timestamp, meters: Double, isOver: Bool = true, into batch: inout RevisionBatch
    ) {
        guard let event = open else { return }
        let mode = ended?.event.trip?.motion.mode ?? lastVehicleMode
        switch EndedEventRule(
            event: event, end: end, meters: meters, modeBefore: mode,
            fastestMetersPerSecond: batch.rules.fastestMetersPerSecond, canJoin: isOver && ended != nil
        ).outcome {
        case .event: break
        case .trip(let mode): open?.trip?.motion.mode = mode
        case .stop where ended == nil:
            open?.phase = .stationary(event.stop(at: lastFix.map { RobustCenter(at: $0) }))
        case .unknown: open?.phase = .unknown(event.stop(at: lastFix.map { RobustCenter(at: $0) }))
        case .stop, .none: return discardOpen(into: &batch)
        }
        if let before = ended?.event, let now = open, before.trip != nil, before.phase.continues(as: now.phase) {
            withdrawOpen(into: &batch)
        } else if ended == nil, let now = open, lastFinal?.isContinued(by: now, emitter) == true {
            // It cannot be joined any more, so only its own mode or kind was wrong.
            if let stop = now.stop { open?.phase = .unknown(stop) }
            open?.trip?.motion.mode = nil
        }
    }

    /// Sets the mode of the trip that lasts. It was a part of the trip before it, if no person changed the vehicle.
    mutating func setMode(_ mode: MovementMode, into batch: inout RevisionBatch) {
        let before = ended?.event.trip?.motion.mode
        guard before == mode || before?.isOnWheels == true && mode.isOnWheels else {
            open?.trip?.motion.mode = mode
            return
        }
        // A part that is too fast for the trip before it does not belong to it.
        if canContinueEnded(batch.rules) { withdrawOpen(into: &batch) }
    }

    /// Removes the open event. The event before it goes on, if its end is still provisional.
    private mutating func discardOpen(into batch: inout RevisionBatch) {
        guard ended == nil, var event = open else { return withdrawOpen(into: &batch) }
        emitWithdrawal(of: &event, into: &batch)
        open = nil
    }

    /// Emits the final revision of the provisionally ended event.
    mutating func finalizeEnded(into batch: inout RevisionBatch) {
        guard var ended else { return }
        self.ended = nil
        if let walk = ended.walk {
            let trip = Trip(motion: TripMotion(mode: walk.mode), arrivalMode: ended.event.motion.mode)
            let last = makeEvent(.trip(trip), at: walk.start, meters: walk.startMeters)
            var ride = ended
            (ride.end, ride.endMeters) = (walk.start, walk.startMeters)
            finalize(ride, into: &batch)
            ended.event = last
        }
        finalize(ended, into: &batch)
    }

    private mutating func finalize(_ ended: ProvisionallyEndedEvent, into batch: inout RevisionBatch) {
        let event = withPossibleMode(ended, batch.rules)
        finalize(event, at: ended.end, meters: ended.endMeters, polyline: ended.polyline, into: &batch)
    }

    /// Returns the provisionally ended event. If distance that was attributed to it since is too much for its mode, the
    /// event has another one.
    private func withPossibleMode(_ ended: ProvisionallyEndedEvent, _ rules: SegmentationRules) -> OpenEvent {
        var event = ended.event
        let rule = EndedEventRule(
            event: event, end: ended.end, meters: ended.endMeters, modeBefore: lastVehicleMode,
            fastestMetersPerSecond: rules.fastestMetersPerSecond)
        switch rule.outcome {
        case .trip(let mode):
            // It can no longer be joined with a neighbour, so it must not have the mode of one.
            let taken = modesOfNeighbours(of: event)
            let modes = [mode, nil, MovementMode.bicycle].filter { mode in
                let fastest = (mode ?? .vehicle).maximumMetersPerSecond(fastest: rules.fastestMetersPerSecond)
                return !taken.contains(mode)
                    && ended.endMeters - event.startMeters <= fastest * ended.end.seconds(since: event.start)
            }
            if let mode = modes.first {
                event.trip?.motion.mode = mode
            } else {
                event.phase = .unknown(event.stop(at: nil))
            }
        case .unknown: event.phase = .unknown(event.stop(at: nil))
        case .event, .stop, .none: break
        }
        return event
    }

    /// Returns the modes of the trips that the provisionally ended event touches; nil in it for an unknown mode.
    private func modesOfNeighbours(of event: OpenEvent) -> Set<MovementMode?> {
        var modes: Set<MovementMode?> = []
        if let trip = open?.trip { modes.insert(trip.motion.mode) }
        if let lastFinal, !lastFinal.isStop, lastFinal.touches(event, emitter) { modes.insert(lastFinal.mode) }
        return modes
    }

    /// Emits the final revision of the provisionally ended event, and one of the open event: a later
    /// subscriber receives only the newest revision.
    mutating func finalizeEndedAndEmitOpen(into batch: inout RevisionBatch) {
        // A trip that is too fast for its mode can be a part of the one before it.
        if open?.trip != nil, let lastTime { settleOpen(at: lastTime, meters: lastMeters, isOver: false, into: &batch) }
        finalizeEnded(into: &batch)
        emitRevision(into: &batch)
    }

    /// Emits the final revision of an event.
    /// - Parameter meters: The odometer's total at the end.
    mutating func finalize(
        _ event: OpenEvent, at end: Timestamp, meters: Double, polyline: WaypointPolyline = WaypointPolyline(),
        into batch: inout RevisionBatch
    ) {
        var event = splitOffDowntime(of: event, before: end, into: &batch)
        emitEnd(of: &event, at: end, meters: meters, polyline: polyline, isFinal: true, into: &batch)
        if let mode = event.motion.mode, mode.isOnWheels { lastVehicleMode = mode }
        if event.trip != nil || event.isStationary {
            lastFinal = FinalEvent(
                mode: event.trip?.motion.mode, isStop: event.isStationary, end: end, tag: emitter.tag,
                isPrivate: emitter.isPrivate)
        }
    }

    /// Splits a gap that began with the agent off and went on for another reason.
    /// - Returns: the second part, or the whole event.
    mutating func splitOffDowntime(
        of event: OpenEvent, before limit: Timestamp, into batch: inout RevisionBatch
    ) -> OpenEvent {
        let gap = batch.rules.timeline.gapSeconds
        guard let end = gapEvidence.downtimeEnd(in: event, before: limit, gapSeconds: gap) else { return event }
        gapEvidence.downtime = nil
        var downtime = event
        downtime.phase = .offTheGrid(.powerOff)
        finalize(downtime, at: end, meters: lastMeters, into: &batch)
        return makeEvent(event.phase, at: end, meters: lastMeters)
    }

    /// Ends the open event. It goes on if the next event turns out to be none.
    mutating func endProvisionally(at end: Timestamp, meters: Double, into batch: inout RevisionBatch) {
        settleOpen(at: end, meters: meters, into: &batch)
        finalizeEnded(into: &batch)
        guard var event = open else { return }
        emitEnd(of: &event, at: end, meters: meters, polyline: polyline, isFinal: false, into: &batch)
        open = event
        setAsideOpen(at: end, meters: meters)
    }

    /// Ends the gap that lasts. It goes on if only one fix was in it.
    /// - Parameter distance: the estimated distance since the last fix. Nil where it is not known.
    mutating func endGap(
        at end: Timestamp, meters: Double, distance: GapDistance?, into batch: inout RevisionBatch
    ) {
        guard let gap = open, gap.isOffTheGrid else { return finalizeOpen(at: end, meters: meters, into: &batch) }
        finalizeEnded(into: &batch)
        open = splitOffDowntime(of: gap, before: end, into: &batch)
        open?.add(distance)
        endProvisionally(at: end, meters: meters, into: &batch)
    }

    /// Adds a movement that the odometer took for noise to the open trip.
    mutating func add(_ movement: MissedMovement, into batch: inout RevisionBatch) {
        batch.add(movement)
        lastMeters += movement.meters
    }

    /// Attributes distance that the odometer counts now to the time in which it was driven.
    mutating func attribute(_ late: LateDistance) {
        if let start = open?.start, start >= late.before { open?.startMeters += late.meters }
        if let lastTime, lastTime >= late.before { lastMeters += late.meters }
        guard let ended, ended.end >= late.before else { return }
        self.ended?.endMeters += late.meters
        if let walk = ended.walk, walk.start >= late.before { self.ended?.walk?.startMeters += late.meters }
        if ended.event.start >= late.before { self.ended?.event.startMeters += late.meters }
    }

    /// Makes the open event the provisionally ended one, without a revision.
    mutating func setAsideOpen(at end: Timestamp, meters: Double) {
        guard let event = open else { return }
        ended = ProvisionallyEndedEvent(event: event, end: max(end, event.start), endMeters: meters)
        if event.trip != nil { ended?.polyline = polyline }
        open = nil
    }

    /// Withdraws the open event. The provisionally ended event goes on and needs a revision next.
    mutating func withdrawOpen(into batch: inout RevisionBatch) {
        guard let ended, var event = open else { return }
        emitWithdrawal(of: &event, into: &batch)
        reopen(ended, until: event.start, motion: event.motion)
    }

    /// Emits the last revision of an event that was none, if it was published.
    private mutating func emitWithdrawal(of event: inout OpenEvent, into batch: inout RevisionBatch) {
        guard event.revision > 0 else { return }
        var last = emitter.revision(of: &event, at: batch.now, meters: lastMeters, fix: lastFix)
        last.kind = .unknown
        last.end = last.start
        last.isProvisional = false
        last.isWithdrawn = true
        last.stopMeters = nil
        batch.events.append(last)
    }

    /// Withdraws a trip whose departure is tentative. The stop goes on.
    mutating func withdrawTentativeDeparture(into batch: inout RevisionBatch) {
        guard isDepartureTentative else { return }
        withdrawOpen(into: &batch)
        emitRevision(into: &batch)
    }

    /// Makes the provisionally ended event the open one again.
    /// - Parameters:
    ///   - start: the start of the event that it goes on instead of.
    ///   - motion: the motion of that event.
    mutating func reopen(
        _ ended: ProvisionallyEndedEvent, until start: Timestamp, motion: TripMotion = TripMotion()
    ) {
        self.ended = nil
        open = ended.event
        open?.settledUntil = start
        // As for a start in such a gap: the time when the agent went off is not known.
        if case .offTheGrid(let reason) = ended.event.phase, reason != .powerOff { gapEvidence.downtime = nil }
        if ended.event.trip != nil {
            open?.trip?.departurePlace = nil
            open?.trip?.motion.add(speedsOf: motion)
            polyline = ended.polyline.appending(polyline)
        } else if ended.event.isStationary, ended.event.arrivalMode?.isOnWheels == true {
            // The vehicle has stood for longer than at a halt.
            open?.stop?.arrivalMode = nil
        }
    }

    /// The time between the last position and a fix, seconds. A position that was forgotten counts from the start of
    /// the open event; the date of the fix can be before that.
    func gapSeconds(until fix: Fix) -> Double {
        guard let lastTime else { return 0 }
        return fix.timestamp.seconds(since: lastFix == nil ? max(lastTime, open?.start ?? lastTime) : lastTime)
    }

    /// Forgets where the vehicle was, and nothing else.
    mutating func forgetPositions() {
        if isDepartureTentative, let event = open { open?.phase = .stationary(event.stop(at: nil)) }
        ended?.departure = nil
        ended?.event.forgetPositions()
        ended?.walk?.place = nil
        ended?.polyline = WaypointPolyline()
        open?.forgetPositions()
        polyline = WaypointPolyline()
        lastFix = nil
    }
}
