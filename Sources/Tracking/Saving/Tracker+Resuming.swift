import OdographCivilTime
import OdographGeodesy
import OdographModel

/// The continuation from the published records. They remain valid where the state is lost, or older than they.
extension Tracker {
    /// The latest published update time of the timeline that the state knows; nil for none.
    public var lastTimelineUpdate: Timestamp? { timeline.events.emitter.lastUpdate }

    /// Continues from the odometer's last known reading, because the state or inputs since it are lost.
    /// - Parameters:
    ///   - meters: the reading, metres.
    ///   - errorMeters: its bound, metres, ≥ 0.
    ///   - isPositionKnown: whether the last inputs were handled; if not, the distance to the next fix does not count.
    public mutating func restoreOdometer(meters: Double, errorMeters: Double, isPositionKnown: Bool) {
        odometer.adoptReading(meters: meters, errorMeters: errorMeters)
        timeline.events.lastMeters = odometer.totalMeters
        if !isPositionKnown { odometer.forgetPosition() }
        // The movement before the lost inputs must not be compared with the odometer after them.
        recent.resetMovement()
    }

    /// Continues from the published timeline. Call it once, after the saved inputs and before any other.
    ///
    /// The open event continues with a larger revision and update time. If the vehicle's position at that time is lost,
    /// the event ends at its last published update, and the time since is one with the agent off. It ends there also if
    /// the state is an earlier one, because later revisions can have ended it.
    /// - Parameters:
    ///   - published: the newest revision of each published event that is open, or may turn out to be.
    ///   - update: the latest update time of any event that can have been published; nil for none.
    ///   - quality: how much of the publishing state this one has.
    ///   - seed: 128 random bits that no tracker has used before, for identifiers after those that another state
    ///     published.
    /// - Returns: the final revisions of the events that the state does not continue.
    public mutating func resume(
        after published: [TimelineEvent], lastUpdate update: Timestamp?, quality: RecoveryQuality,
        seed: (UInt64, UInt64)
    ) -> [TrackerOutput] {
        if quality.laterRevisions > 0 {
            return restart(
                after: published, lastUpdate: update, laterRevisions: quality.laterRevisions, seed: seed)
        }
        let isBehind =
            update.map { $0 > timeline.events.emitter.lastUpdate ?? $0.advanced(byMilliseconds: -1) } ?? false
        let goesBack = quality != .exact || isBehind
        let lasting = goesBack ? published.filter { $0.end == nil }.max { $0.lastUpdate < $1.lastUpdate } : nil
        if goesBack, let lasting { timeline.events.reconcileEnded(published, before: lasting) }
        let kept = [
            lasting?.id ?? timeline.events.open?.id, timeline.events.ended?.event.id,
            timeline.published.clockJump?.event.id,
        ]
        guard goesBack || published.contains(where: { !kept.contains($0.id) }) else { return [] }
        if goesBack {
            timeline.events.emitter.seed = TrackerSeed(first: seed.0, second: seed.1)
            timeline.events.emitter.lastUpdate = update ?? timeline.events.emitter.lastUpdate
        }
        var log = revisionBatch(at: timeline.events.emitter.lastUpdate ?? Timestamp(millisecondsSinceEpoch: 0))
        for event in published where !kept.contains(event.id) {
            let next = lasting?.start ?? timeline.events.open?.start ?? event.lastUpdate
            timeline.events.emitFinalRevision(event, at: event.end ?? min(event.lastUpdate, next), into: &log)
        }
        if let lasting {
            let history = MovementHistory(
                recent.movement, totalMeters: timeline.events.lastMeters, rules: log.rules)
            timeline.events.resume(with: lasting, history: history, into: &log)
        }
        if let last = log.events.last, last.id != timeline.events.open?.id { timeline.events.emitRevision(into: &log) }
        var outputs: [TrackerOutput] = []
        emit(log, into: &outputs)
        return outputs
    }

    /// Ends all published events, and begins a time with the agent off: later revisions of them were published.
    private mutating func restart(
        after published: [TimelineEvent], lastUpdate update: Timestamp?, laterRevisions: Int, seed: (UInt64, UInt64)
    ) -> [TrackerOutput] {
        timeline.events.emitter.seed = TrackerSeed(first: seed.0, second: seed.1)
        timeline.events.emitter.lastUpdate =
            [update, timeline.events.emitter.lastUpdate].compactMap(\.self).max()
        timeline.published.clockJump = nil
        var log = revisionBatch(at: timeline.events.emitter.lastUpdate ?? Timestamp(millisecondsSinceEpoch: 0))
        timeline.events.restart(after: published, laterRevisions: laterRevisions, into: &log)
        recent.resetMovement()
        var outputs: [TrackerOutput] = []
        emit(log, into: &outputs)
        return outputs
    }

    /// Goes on above the revisions that another run of this device has published: one with a later state, or one with a
    /// copy of this state.
    /// - Parameters:
    ///   - revisions: the largest number of those revisions of one event.
    ///   - seed: 128 random bits that no tracker has used before, for the identifiers of further events.
    public mutating func skipRevisions(_ revisions: Int, seed: (UInt64, UInt64)) {
        timeline.events.emitter.seed = TrackerSeed(first: seed.0, second: seed.1)
        timeline.events.open?.revision += revisions
        timeline.events.ended?.event.revision += revisions
        timeline.published.clockJump?.event.revision += revisions
    }
}

extension EventSequence {
    /// Ends all published events as they were published, and begins a time with the agent off.
    fileprivate mutating func restart(
        after published: [TimelineEvent], laterRevisions: Int, into log: inout RevisionBatch
    ) {
        var reason = OffTheGridReason.powerOff
        if case .offTheGrid(let known) = open?.phase { reason = known }
        let ordered = published.sorted { ($0.start, $0.lastUpdate) < ($1.start, $1.lastUpdate) }
        var last: Timestamp?
        for (index, event) in ordered.enumerated() {
            let next = index + 1 < ordered.count ? ordered[index + 1].start : event.lastUpdate
            let end = event.end ?? max(min(event.lastUpdate, next), event.start)
            var later = event
            later.revision += laterRevisions
            emitFinalRevision(later, at: end, into: &log)
            last = max(last ?? end, end)
        }
        (open, ended, lastFix) = (nil, nil, nil)
        polyline = WaypointPolyline()
        guard let last else { return }
        lastTime = last
        beginAndEmit(.offTheGrid(reason), at: last, into: &log)
    }

    /// Keeps the provisionally ended event only where the published one before the open event is the same, with its
    /// end.
    fileprivate mutating func reconcileEnded(_ published: [TimelineEvent], before lasting: TimelineEvent) {
        if let ended, let open, ended.event.id == lasting.id { reopen(ended, until: open.start) }
        if let known = open, known.id != lasting.id, let last = published.first(where: { $0.id == known.id }),
            let end = last.end
        {
            setAsideOpen(at: end, meters: known.startMeters + last.distanceMeters)
        }
        guard let last = published.first(where: { $0.id == ended?.event.id }), let end = last.end, end == lasting.start
        else {
            ended = nil
            return
        }
        ended?.event.revision = last.revision
        ended?.end = end
    }

    /// Continues the event that was published last.
    fileprivate mutating func resume(
        with event: TimelineEvent, history: MovementHistory, into log: inout RevisionBatch
    ) {
        if let open, open.id == event.id, open.start == event.start {
            self.open?.revision = event.revision
            // The odometer may have been set meanwhile, which is no distance within a stop.
            if open.stop != nil {
                self.open?.startMeters = history.odometerMeters(at: event.lastUpdate) - event.distanceMeters
            }
        } else {
            restoreOpenEvent(event, meters: history.odometerMeters(at: event.lastUpdate))
        }
        emitter.lastPublished = emitter.lastUpdate
        let isSeen =
            lastTime.map { event.lastUpdate.seconds(since: $0) <= log.rules.timeline.gapSeconds } ?? false
        guard let open, !isSeen, !emitter.isPrivate, !open.isOffTheGrid else { return }
        if open.isStationary, let center = open.stop?.center {
            // The next fix decides whether the vehicle is still there.
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

    /// Makes a published event the open one.
    /// - Parameter meters: the odometer's total at its last published update.
    private mutating func restoreOpenEvent(_ event: TimelineEvent, meters: Double) {
        publishedSince = publishedSince ?? event.start
        ended?.departure = nil
        let phase: OpenEvent.Phase
        switch event.kind {
        case .unknown: phase = .unknown(Stop())
        case .offTheGrid(let why): phase = .offTheGrid(why)
        case .transport(let transport):
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
            id: event.id, revision: event.revision, phase: phase, start: event.start,
            startMeters: meters - event.distanceMeters)
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

    /// Emits the final revision of an event that cannot be continued, as it was published.
    fileprivate mutating func emitFinalRevision(
        _ event: TimelineEvent, at end: Timestamp, into log: inout RevisionBatch
    ) {
        var last = event
        last.revision += 1
        last.isProvisional = false
        last.end = max(end, event.start)
        last.lastUpdate = emitter.nextUpdate(at: log.now)
        last.isOfPrivateTime = event.isOfPrivateTime || emitter.isPrivate
        if open?.id == event.id, case .transport(var transport) = last.kind {
            transport.waypoints = polyline.waypoints(from: event.start, to: end, rule: log.rules.timeline)
            last.kind = .transport(transport)
        }
        log.events.append(last)
    }
}
