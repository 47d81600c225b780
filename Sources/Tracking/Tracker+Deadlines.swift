import CivilTime

/// What falls due by itself, without an input: heartbeats, gaps, ends that have become certain, revisions,
/// requests that wait no longer.
extension Tracker {
    /// What falls due; of two at one instant the one that stands first here.
    enum Deadline: CaseIterable {
        case request, provider, heartbeat, gap, finalization, revision, geofence

        /// Whether it falls due while nobody knows the time: it says nothing that would carry a date of the machine's, nor an
        /// age by it.
        var allowsUnknownTime: Bool { self == .request || self == .gap }
    }

    /// The next thing that falls due by itself.
    func nextDeadline(isTimeKnown: Bool) -> (time: Timestamp, what: Deadline)? {
        guard !isSuspended else { return requests.nextTimeout.map { ($0, .request) } }
        let rules = SegmentationRules(configuration)
        var next: (time: Timestamp, what: Deadline)?
        for what in Deadline.allCases where isTimeKnown || what.allowsUnknownTime {
            guard let time = time(of: what, rules: rules), next.map({ time < $0.time }) ?? true else { continue }
            next = (time, what)
        }
        return next
    }

    private func time(of due: Deadline, rules: SegmentationRules) -> Timestamp? {
        switch due {
        case .request: requests.nextTimeout
        case .provider: provider.due(delaySeconds: configuration.providerChangeDelaySeconds)
        case .heartbeat: heartbeatDue
        case .gap: timeline.gapDue(rules: rules)
        case .finalization: timeline.finalizationDue(rules: rules)
        case .revision: timeline.revisionDue(rules: rules)
        case .geofence: geofences.due
        }
    }

    /// Where the last position was forgotten, as a private time's is, there is none to be told once more.
    private var heartbeatDue: Timestamp? {
        guard filter.lastAccepted != nil else { return nil }
        return sampler.heartbeatDue(intervalSeconds: configuration.heartbeatIntervalSeconds)
    }

    /// Does what fell due until an instant, each at its own time, in their order.
    mutating func processDeadlines(until now: Timestamp, into outputs: inout [TrackerOutput]) {
        while let due = nextDeadline(isTimeKnown: isTimeKnown), due.time <= now {
            switch due.what {
            case .request:
                for (request, best) in requests.removeTimedOut(at: due.time) {
                    outputs.append(.position(best, request: request.id))
                    if let best, request.isPersisted { emit(best, into: &outputs) }
                }
            case .provider:
                provider.markReported()
                recordLastKnownPosition(.providerChange, at: due.time, into: &outputs)
            case .heartbeat:
                // A machine that slept through several heartbeats says one, with the time of the last.
                let interval = configuration.heartbeatIntervalSeconds
                let missed = (now.seconds(since: due.time) / interval).rounded(.down)
                recordLastKnownPosition(.heartbeat, at: due.time.advanced(bySeconds: missed * interval), into: &outputs)
            case .gap:
                var log = RevisionBatch(now: due.time)
                timeline.handleGapTimeout(rules: SegmentationRules(configuration), into: &log)
                epochs.reset()
                movement.reset()
                emit(log, into: &outputs)
            case .finalization:
                var log = RevisionBatch(now: due.time)
                timeline.finalizeEndedEventAndEmitOpen(rules: SegmentationRules(configuration), into: &log)
                emit(log, into: &outputs)
            case .revision:
                let rules = SegmentationRules(configuration)
                var log = RevisionBatch(now: timeline.lastRevisionDue(from: due.time, until: now, rules: rules))
                timeline.emitRevision(into: &log)
                emit(log, into: &outputs)
            case .geofence:
                geofences.processDeadlines(at: due.time)
                emit(geofences.context.events.take(), at: due.time, into: &outputs)
            }
        }
    }

    /// Records the last known position once more.
    mutating func recordLastKnownPosition(
        _ cause: LocationCause, at time: Timestamp, into outputs: inout [TrackerOutput]
    ) {
        guard let fix = filter.lastAccepted else { return }
        sampler.markRecorded(fix, at: time)
        emit(location(of: fix, cause: cause, at: time), into: &outputs)
    }
}
