import CivilTime
import Geodesy
import OdographModel

/// What was told holds, whatever the state says: a state of another version, or one that is older than the last records, has
/// to go on from there.
extension Tracker {
    /// The latest update time that the state knows to be told of the timeline; nil for none.
    public var lastTimelineUpdate: Timestamp? { timeline.lastUpdate }

    /// Goes on from what the odometer was last known to show: inputs since the state was saved are lost, or were handled by a
    /// tracker that had to learn again.
    /// - Parameters:
    ///   - meters: what it showed, metres.
    ///   - errorMeters: the bound of that, metres, ≥ 0.
    ///   - isPlaceKnown: whether the last inputs were handled; if not, the way to the next fix does not count.
    public mutating func restoreOdometer(meters: Double, errorMeters: Double, isPositionKnown: Bool) {
        odometer.adoptReading(meters: meters, errorMeters: errorMeters)
        timeline.lastMeters = odometer.totalMeters
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
        let isBehind = update.map { $0 > timeline.lastUpdate ?? $0.advanced(byMilliseconds: -1) } ?? false
        let goesBack = quality != .exact || isBehind
        let lasting = goesBack ? told.filter { $0.end == nil }.max { $0.lastUpdate < $1.lastUpdate } : nil
        if goesBack, let lasting { timeline.reconcileEnded(told, before: lasting) }
        let kept = [
            lasting?.id ?? timeline.open?.id, timeline.endedEvent?.event.id, timeline.published.clockJump?.event.id,
        ]
        guard goesBack || told.contains(where: { !kept.contains($0.id) }) else { return [] }
        if goesBack {
            timeline.seed = TrackerSeed(first: seed.0, second: seed.1)
            timeline.lastUpdate = update ?? timeline.lastUpdate
        }
        var log = RevisionBatch(now: timeline.lastUpdate ?? Timestamp(millisecondsSinceEpoch: 0))
        let rules = SegmentationRules(configuration)
        for event in told where !kept.contains(event.id) {
            let next = lasting?.start ?? timeline.open?.start ?? event.lastUpdate
            timeline.emitFinalRevision(event, at: event.end ?? min(event.lastUpdate, next), rules: rules, into: &log)
        }
        if let lasting {
            let history = MovementHistory(movement, rules: rules)
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
    /// What has ended and may go on is known still where it is told to be that of before the one that lasts, and goes on
    /// where it is told to.
    fileprivate mutating func reconcileEnded(_ told: [TimelineEvent], before lasting: TimelineEvent) {
        if let was = endedEvent, let none = open, was.event.id == lasting.id { reopen(was, insteadOf: none) }
        if let known = open, known.id != lasting.id, let last = told.first(where: { $0.id == known.id }),
            let end = last.end
        {
            setAsideOpenEvent(at: end, meters: known.startMeters + last.distanceMeters)
        }
        guard let last = told.first(where: { $0.id == endedEvent?.event.id }), let end = last.end, end == lasting.start
        else {
            endedEvent = nil
            return
        }
        endedEvent?.event.revision = last.revision
        endedEvent?.end = end
    }

    /// Goes on with the event that was last told of.
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
            // Whether it still stands there is told by the next fix.
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

    /// Makes an event that was told the open one.
    /// - Parameter meters: the odometer's total when it was last told of.
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

    /// Ends an event that nothing more will be known of, as it was told.
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
    /// How far it went, metres.
    fileprivate var distanceMeters: Double {
        if case .transport(let transport) = kind { transport.distanceMeters } else { 0 }
    }
}
