import OdographCivilTime
import OdographGeodesy
import OdographModel

/// The open event, the event before it as long as its end is provisional, and the operations that begin and end events.
///
/// Every change of the timeline is one of these operations. They keep the events without a hole and without an overlap.
struct EventSequence: Equatable, Sendable, Codable {
    var emitter: RevisionEmitter
    /// Nil before the first position and after the end of a recording.
    var open: OpenEvent?
    var ended: ProvisionallyEndedEvent?
    /// The start of the published time that the open event continues.
    var publishedSince: Timestamp?
    /// The mode of the last final segment on wheels.
    var lastVehicleMode: MovementMode?
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
    mutating func begin(_ phase: OpenEvent.Phase, at start: Timestamp, meters: Double? = nil) {
        open = makeEvent(phase, at: start, meters: meters ?? lastMeters)
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
        if let open, open.isUnknown, open.start == end {
            // The event contains nothing else than the gap.
            self.open?.phase = .offTheGrid(reason)
            return emitRevision(into: &batch)
        }
        finalizeOpen(at: end, into: &batch)
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
        if case .transport(var transport) = revision.kind {
            transport.waypoints = polyline.waypoints(from: event.start, to: end, rule: batch.rules.timeline)
            revision.kind = .transport(transport)
        }
        batch.events.append(revision)
    }

    /// Ends the open event with its final revision. A tentative trip is withdrawn first.
    mutating func finalizeOpen(at end: Timestamp, meters: Double? = nil, into batch: inout RevisionBatch) {
        if isDepartureTentative { withdrawOpen(into: &batch) }
        finalizeEnded(into: &batch)
        guard let event = open else { return }
        open = nil
        finalize(event, at: end, meters: meters ?? lastMeters, polyline: polyline, into: &batch)
    }

    /// Emits the final revision of the provisionally ended event.
    mutating func finalizeEnded(into batch: inout RevisionBatch) {
        guard let ended else { return }
        self.ended = nil
        finalize(ended.event, at: ended.end, meters: ended.endMeters, polyline: ended.polyline, into: &batch)
    }

    /// Emits the final revision of the provisionally ended event, and one of the open event: a later
    /// subscriber receives only the newest revision.
    mutating func finalizeEndedAndEmitOpen(into batch: inout RevisionBatch) {
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
        finalizeEnded(into: &batch)
        guard var event = open else { return }
        emitEnd(of: &event, at: end, meters: meters, polyline: polyline, isFinal: false, into: &batch)
        open = event
        setAsideOpen(at: end, meters: meters)
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
        var last = emitter.revision(of: &event, at: batch.now, meters: lastMeters, fix: lastFix)
        last.kind = .unknown
        last.end = last.start
        last.isProvisional = false
        last.isWithdrawn = true
        batch.events.append(last)
        reopen(ended, insteadOf: event)
    }

    /// Withdraws a trip whose departure is tentative. The stop goes on.
    mutating func withdrawTentativeDeparture(into batch: inout RevisionBatch) {
        guard isDepartureTentative else { return }
        withdrawOpen(into: &batch)
        emitRevision(into: &batch)
    }

    /// Makes the provisionally ended event the open one again.
    mutating func reopen(_ ended: ProvisionallyEndedEvent, insteadOf withdrawn: OpenEvent) {
        self.ended = nil
        open = ended.event
        open?.settledUntil = withdrawn.start
        if ended.event.trip != nil {
            open?.trip?.departurePlace = nil
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
        ended?.polyline = WaypointPolyline()
        open?.forgetPositions()
        polyline = WaypointPolyline()
        lastFix = nil
    }
}
