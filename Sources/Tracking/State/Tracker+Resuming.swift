import CivilTime
import Geodesy

/// The continuation from the published records. They remain valid where the state is of another version, or older than
/// they.
extension Tracker {
    /// The latest published update time of the timeline that the state knows; nil for none.
    public var lastTimelineUpdate: Timestamp? { timeline.lastUpdate }

    /// Continues from the last known reading of the odometer, because inputs since the state was saved are lost, or
    /// were handled by a tracker that had to learn again.
    /// - Parameters:
    ///   - meters: the reading, metres.
    ///   - errorMeters: its bound, metres, ≥ 0.
    ///   - isPositionKnown: whether the last inputs were handled; if not, the distance to the next fix does not count.
    public mutating func restoreOdometer(meters: Double, errorMeters: Double, isPositionKnown: Bool) {
        odometer.adoptReading(meters: meters, errorMeters: errorMeters)
        timeline.lastMeters = odometer.totalMeters
        if !isPositionKnown { odometer.forgetPosition() }
    }

    /// Continues from the published timeline. Call it once, after the saved inputs and before any other.
    ///
    /// The open event continues under its identifier with a larger revision and update time. If the vehicle's position
    /// at that time is lost, the event ends at its last published update, and the time since is one with the agent off.
    ///
    /// - Parameters:
    ///   - published: the newest revision of each published event that is open, or may turn out to be.
    ///   - update: the latest published update time of any event; nil for none.
    ///   - quality: how much of the publishing state this one has.
    ///   - seed: 128 random bits that no tracker has used before, for the following identifiers; used where another
    ///     state published the last ones.
    /// - Returns: the final revisions of the events that the state does not continue.
    public mutating func resume(
        after published: [TimelineEvent], lastUpdate update: Timestamp?, quality: RecoveryQuality,
        seed: (UInt64, UInt64)
    ) -> [TrackerOutput] {
        let isBehind = update.map { $0 > timeline.lastUpdate ?? $0.advanced(byMilliseconds: -1) } ?? false
        let goesBack = quality != .exact || isBehind
        let lasting = goesBack ? published.filter { $0.end == nil }.max { $0.lastUpdate < $1.lastUpdate } : nil
        if goesBack, let lasting { timeline.reconcileEnded(published, before: lasting) }
        let kept = [
            lasting?.id ?? timeline.open?.id, timeline.endedEvent?.event.id, timeline.published.clockJump?.event.id,
        ]
        guard goesBack || published.contains(where: { !kept.contains($0.id) }) else { return [] }
        if goesBack {
            timeline.seed = TrackerSeed(first: seed.0, second: seed.1)
            timeline.lastUpdate = update ?? timeline.lastUpdate
        }
        var log = RevisionBatch(now: timeline.lastUpdate ?? Timestamp(millisecondsSinceEpoch: 0))
        let rules = SegmentationRules(configuration)
        for event in published where !kept.contains(event.id) {
            let next = lasting?.start ?? timeline.open?.start ?? event.lastUpdate
            timeline.emitFinalRevision(event, at: event.end ?? min(event.lastUpdate, next), rules: rules, into: &log)
        }
        if let lasting {
            let history = MovementHistory(recent.movement, rules: rules)
            timeline.resume(
                with: lasting, isCurrent: quality == .approximate, history: history, rules: rules, into: &log)
        }
        if let last = log.events.last, last.id != timeline.open?.id { timeline.emitRevision(into: &log) }
        var outputs: [TrackerOutput] = []
        emit(log, into: &outputs)
        return outputs
    }
}

extension TripSegmenter {
    /// Keeps the provisionally ended event only where the published one before the open event is the same, with its
    /// end.
    fileprivate mutating func reconcileEnded(_ published: [TimelineEvent], before lasting: TimelineEvent) {
        if let was = endedEvent, let none = open, was.event.id == lasting.id { reopen(was, insteadOf: none) }
        if let known = open, known.id != lasting.id, let last = published.first(where: { $0.id == known.id }),
            let end = last.end
        {
            setAsideOpenEvent(at: end, meters: known.startMeters + last.distanceMeters)
        }
        guard let last = published.first(where: { $0.id == endedEvent?.event.id }), let end = last.end,
            end == lasting.start
        else {
            endedEvent = nil
            return
        }
        endedEvent?.event.revision = last.revision
        endedEvent?.end = end
    }

    /// Continues the event that was published last.
    fileprivate mutating func resume(
        with event: TimelineEvent, isCurrent: Bool, history: MovementHistory, rules: SegmentationRules,
        into log: inout RevisionBatch
    ) {
        if let open, open.id == event.id, open.start == event.start {
            self.open?.revision = event.revision
        } else {
            restoreOpenEvent(event, meters: history.odometerMeters(at: event.lastUpdate) ?? lastMeters)
        }
        lastPublished = lastUpdate
        let isSeen =
            lastTime.map { event.lastUpdate.seconds(since: $0) <= rules.timeline.gapSeconds } ?? false
        guard let open, !isCurrent, !isSeen, !isPrivate, !open.phase.isOffTheGrid else { return }
        if open.phase == .stationary, let stopCenter {
            // The next fix decides whether the vehicle is still there.
            lastFix = Fix(
                timestamp: event.lastUpdate, received: ClockReading(replayed: event.lastUpdate),
                coordinate: stopCenter.coordinate)
            lastTime = event.lastUpdate
            return
        }
        finalizeEndedEvent(rules: rules, into: &log)
        let end = max(event.lastUpdate, event.start)
        emitFinalRevision(event, at: end, rules: rules, into: &log)
        self.open = nil
        lastFix = nil
        lastTime = end
        clearStopAndWaypoints()
        openAndEmitEvent(.offTheGrid(.powerOff), at: end, meters: lastMeters, into: &log)
    }

    /// Makes a published event the open one.
    /// - Parameter meters: the odometer's total at its last published update.
    private mutating func restoreOpenEvent(_ event: TimelineEvent, meters: Double) {
        published.currentStart = published.currentStart ?? event.start
        departedFrom = nil
        let known = stopCenter
        stopCenter = nil
        var taken = OpenEvent(
            id: event.id, revision: event.revision, phase: .unknown, start: event.start, startMeters: meters)
        switch event.kind {
        case .unknown: break
        case .offTheGrid(let why): taken.phase = .offTheGrid(why)
        case .transport(let transport):
            taken.phase = .transport
            taken.startMeters = meters - transport.distanceMeters
            taken.mode = transport.mode.movementMode
            taken.aboveRoadSpeedSeconds = transport.mode == .train ? TransportMode.minimumTrainSeconds : 0
            polyline.removePoints(before: event.start)
        case .stationary(let place):
            taken.phase = .stationary
            taken.arrivalMode = endedEvent?.event.mode
            guard let place else { break }
            let isKnown = known.map { $0.coordinate.distanceMeters(to: place.coordinate) <= Self.samePlaceMeters }
            stopCenter =
                isKnown == true
                ? known
                : RobustCenter(
                    at: Fix(
                        timestamp: event.start, received: ClockReading(replayed: event.start),
                        coordinate: place.coordinate,
                        accuracyMeters: place.accuracyMeters))
        }
        open = taken
    }

    /// Emits the final revision of an event that cannot be continued, as it was published.
    fileprivate mutating func emitFinalRevision(
        _ event: TimelineEvent, at end: Timestamp, rules: SegmentationRules, into log: inout RevisionBatch
    ) {
        var last = event
        let isOpen = open?.id == event.id
        last.revision += 1
        last.isProvisional = false
        last.end = max(end, event.start)
        let update = lastUpdate.map { $0.advanced(byMilliseconds: 1) } ?? log.now
        lastUpdate = update
        last.lastUpdate = update
        if isOpen, !isPrivate, case .transport(var transport) = last.kind {
            transport.waypoints = polyline.waypoints(from: event.start, to: end, rule: rules.timeline)
            last.kind = .transport(transport)
        }
        log.events.append(last)
    }
}

extension TimelineEvent {
    /// The distance of a trip, metres; 0 for other events.
    fileprivate var distanceMeters: Double {
        if case .transport(let transport) = kind { transport.distanceMeters } else { 0 }
    }
}
