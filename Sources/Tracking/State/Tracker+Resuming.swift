import CivilTime
import Geodesy
import OdographModel

/// What was told holds, whatever the state says: a state of another version, or one that is older than the last records, has
/// to go on from there.
extension Tracker {
    /// The latest update time that the state knows to be told of the timeline; nil for none.
    public var lastTimelineUpdate: Timestamp? { timeline.events.emitter.lastUpdate }

    /// Goes on from what the odometer was last known to show: inputs since the state was saved are lost, or were handled by a
    /// tracker that had to learn again.
    /// - Parameters:
    ///   - meters: what it showed, metres.
    ///   - errorMeters: the bound of that, metres, ≥ 0.
    ///   - isPlaceKnown: whether the last inputs were handled; if not, the way to the next fix does not count.
    public mutating func restoreOdometer(meters: Double, errorMeters: Double, isPositionKnown: Bool) {
        odometer.adoptReading(meters: meters, errorMeters: errorMeters)
        timeline.events.lastMeters = odometer.totalMeters
        if !isPositionKnown { odometer.forgetPosition() }
    }

    /// Goes on from the timeline that was told. To be called once, after the saved inputs were handled and before any other.
    ///
    /// The event that lasts goes on under its identifier, and a larger revision and update time come next. Where nobody
    /// knows any more where the vehicle was then, the event ends when it was last told of, and the time since is that of an
    /// agent that was off.
    ///
    /// - Parameters:
    ///   - told: the newest revision of each event that is told to last, or may turn out to.
    ///   - update: the latest update time that was told of any event; nil for none.
    ///   - quality: how the state has to do with the one that told it.
    ///   - seed: 128 random bits that no tracker before had, for the identifiers from here on; used where the state is not what told
    ///     of the last ones.
    /// - Returns: the final revisions of events that the state does not go on with.
    public mutating func resume(
        after told: [TimelineEvent], lastUpdate update: Timestamp?, quality: RecoveryQuality, seed: (UInt64, UInt64)
    ) -> [TrackerOutput] {
        let isBehind =
            update.map { $0 > timeline.events.emitter.lastUpdate ?? $0.advanced(byMilliseconds: -1) } ?? false
        let goesBack = quality != .exact || isBehind
        let lasting = goesBack ? told.filter { $0.end == nil }.max { $0.lastUpdate < $1.lastUpdate } : nil
        if goesBack, let lasting { timeline.events.reconcileEnded(told, before: lasting) }
        let kept = [
            lasting?.id ?? timeline.events.open?.id, timeline.events.ended?.event.id,
            timeline.published.clockJump?.event.id,
        ]
        guard goesBack || told.contains(where: { !kept.contains($0.id) }) else { return [] }
        if goesBack {
            timeline.events.emitter.seed = TrackerSeed(first: seed.0, second: seed.1)
            timeline.events.emitter.lastUpdate = update ?? timeline.events.emitter.lastUpdate
        }
        var log = revisionBatch(at: timeline.events.emitter.lastUpdate ?? Timestamp(millisecondsSinceEpoch: 0))
        for event in told where !kept.contains(event.id) {
            let next = lasting?.start ?? timeline.events.open?.start ?? event.lastUpdate
            timeline.events.emitFinalRevision(event, at: event.end ?? min(event.lastUpdate, next), into: &log)
        }
        if let lasting {
            let history = MovementHistory(movement, totalMeters: timeline.events.lastMeters, rules: log.rules)
            timeline.events.resume(with: lasting, isCurrent: quality == .approximate, history: history, into: &log)
        }
        if let last = log.events.last, last.id != timeline.events.open?.id { timeline.events.emitRevision(into: &log) }
        var outputs: [TrackerOutput] = []
        emit(log, into: &outputs)
        return outputs
    }
}

extension EventSequence {
    /// What has ended and may go on is known still where it is told to be that of before the one that lasts, and goes on
    /// where it is told to.
    fileprivate mutating func reconcileEnded(_ told: [TimelineEvent], before lasting: TimelineEvent) {
        if let ended, let open, ended.event.id == lasting.id { reopen(ended, insteadOf: open) }
        if let known = open, known.id != lasting.id, let last = told.first(where: { $0.id == known.id }),
            let end = last.end
        {
            setAsideOpen(at: end, meters: known.startMeters + last.distanceMeters)
        }
        guard let last = told.first(where: { $0.id == ended?.event.id }), let end = last.end, end == lasting.start
        else {
            ended = nil
            return
        }
        ended?.event.revision = last.revision
        ended?.end = end
    }

    /// Goes on with the event that was last told of.
    fileprivate mutating func resume(
        with event: TimelineEvent, isCurrent: Bool, history: MovementHistory, into log: inout RevisionBatch
    ) {
        if let open, open.id == event.id, open.start == event.start {
            self.open?.revision = event.revision
        } else {
            restoreOpenEvent(event, meters: history.odometerMeters(at: event.lastUpdate))
        }
        emitter.lastPublished = emitter.lastUpdate
        let isSeen =
            lastTime.map { event.lastUpdate.seconds(since: $0) <= log.rules.timeline.gapSeconds } ?? false
        guard let open, !isCurrent, !isSeen, !emitter.isPrivate, !open.isOffTheGrid else { return }
        if open.isStationary, let center = open.stop?.center {
            // Whether it still stands there is told by the next fix.
            lastFix = Fix(
                timestamp: event.lastUpdate, received: ClockReading(replayed: event.lastUpdate),
                coordinate: center.coordinate)
            lastTime = event.lastUpdate
            return
        }
        finalizeEnded(into: &log)
        let end = max(event.lastUpdate, event.start)
        emitFinalRevision(event, at: end, into: &log)
        self.open = nil
        lastFix = nil
        lastTime = end
        polyline = WaypointPolyline()
        beginAndEmit(.offTheGrid(.powerOff), at: end, into: &log)
    }

    /// Makes an event that was told the open one.
    /// - Parameter meters: the odometer's total when it was last told of.
    private mutating func restoreOpenEvent(_ event: TimelineEvent, meters: Double) {
        publishedSince = publishedSince ?? event.start
        ended?.departure = nil
        var startMeters = meters
        let phase: OpenEvent.Phase
        switch event.kind {
        case .unknown: phase = .unknown(Stop())
        case .offTheGrid(let why): phase = .offTheGrid(why)
        case .transport(let transport):
            startMeters -= transport.distanceMeters
            phase = .trip(
                Trip(
                    motion: TripMotion(
                        mode: transport.mode.movementMode,
                        aboveRoadSpeedSeconds: transport.mode == .train ? TransportMode.minimumTrainSeconds : 0)))
            polyline.removePoints(before: event.start)
        case .stationary(let place):
            phase = .stationary(
                Stop(center: place.map { center(of: $0, since: event.start) }, arrivalMode: ended?.event.motion.mode))
        }
        open = OpenEvent(
            id: event.id, revision: event.revision, phase: phase, start: event.start, startMeters: startMeters)
    }

    /// Returns the known centre of the stop at a place, or a new one.
    private func center(of place: TimelinePlace, since start: Timestamp) -> RobustCenter {
        if let known = open?.stop?.center ?? ended?.event.stop?.center,
            known.coordinate.distanceMeters(to: place.coordinate) <= SegmentationRules.samePlaceMeters
        {
            return known
        }
        return RobustCenter(
            at: Fix(
                timestamp: start, received: ClockReading(replayed: start), coordinate: place.coordinate,
                accuracyMeters: place.accuracyMeters))
    }

    /// Ends an event that nothing more will be known of, as it was told.
    fileprivate mutating func emitFinalRevision(
        _ event: TimelineEvent, at end: Timestamp, into log: inout RevisionBatch
    ) {
        var last = event
        last.revision += 1
        last.isProvisional = false
        last.end = max(end, event.start)
        last.lastUpdate = emitter.nextUpdate(at: log.now)
        if open?.id == event.id, !emitter.isPrivate, case .transport(var transport) = last.kind {
            transport.waypoints = polyline.waypoints(from: event.start, to: end, rule: log.rules.timeline)
            last.kind = .transport(transport)
        }
        log.events.append(last)
    }
}

extension TimelineEvent {
    /// How far it went, metres.
    fileprivate var distanceMeters: Double {
        if case .transport(let transport) = kind { transport.distanceMeters } else { 0 }
    }
}
