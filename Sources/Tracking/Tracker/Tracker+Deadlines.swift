import OdographCivilTime

/// Deadlines: what the tracker does without an input.
extension Tracker {
    /// The kinds of deadline. Of two at the same time the earlier case is processed first.
    enum Deadline: CaseIterable {
        case request, position, provider, heartbeat, gap, finalization, revision, geofence

        /// Whether the deadline applies while the time is unknown: its outputs have no date or age by the machine's
        /// clock.
        var allowsUnknownTime: Bool { self == .request || self == .position || self == .gap }
    }

    /// Returns the next deadline; nil for none.
    func nextDeadline(isTimeKnown: Bool) -> (time: Timestamp, what: Deadline)? {
        guard !isSuspended else { return recent.requests.nextTimeout.map { ($0, .request) } }
        let deadlines = timeline.deadlines(SegmentationRules(configuration))
        var next: (time: Timestamp, what: Deadline)?
        for what in Deadline.allCases where isTimeKnown || what.allowsUnknownTime {
            guard let time = time(of: what, deadlines), next.map({ time < $0.time }) ?? true else { continue }
            next = (time, what)
        }
        return next
    }

    private func time(of due: Deadline, _ deadlines: TimelineDeadlines) -> Timestamp? {
        switch due {
        case .request: recent.requests.nextTimeout
        case .position: agent.positions.due
        case .provider: agent.provider.due(delaySeconds: configuration.providerChangeDelaySeconds)
        case .heartbeat: heartbeatDue
        case .gap: deadlines.gap
        case .finalization: deadlines.finalization
        case .revision: deadlines.revision
        case .geofence: geofences.due
        }
    }

    /// The time of the next heartbeat; nil where the last position was erased after private time.
    private var heartbeatDue: Timestamp? {
        guard recent.filter.lastAccepted != nil else { return nil }
        return sampler.heartbeatDue(intervalSeconds: configuration.heartbeatIntervalSeconds)
    }

    /// Processes the deadlines until an instant in order, each at its own time.
    mutating func processDeadlines(until now: Timestamp, into outputs: inout [TrackerOutput]) {
        while let due = nextDeadline(isTimeKnown: agent.isTimeKnown), due.time <= now {
            switch due.what {
            case .request:
                for (request, best) in recent.requests.removeTimedOut(at: due.time) {
                    outputs.append(.position(best.flatMap { barrier.disclose($0) }, request: request.id))
                    if let best, request.isPersisted { emit(best, into: &outputs) }
                }
            case .position: agent.positions.markLost()
            case .provider:
                agent.provider.markReported()
                recordLastKnownPosition(.providerChange, at: due.time, into: &outputs)
            case .heartbeat:
                // A machine that slept through several heartbeats emits one, with the time of the last.
                let interval = configuration.heartbeatIntervalSeconds
                let missed = (now.seconds(since: due.time) / interval).rounded(.down)
                recordLastKnownPosition(.heartbeat, at: due.time.advanced(bySeconds: missed * interval), into: &outputs)
            case .gap:
                var log = revisionBatch(at: due.time)
                timeline.handleGapTimeout(into: &log)
                recent.resetMovement()
                emit(log, into: &outputs)
            case .finalization:
                var log = revisionBatch(at: due.time)
                timeline.events.finalizeEndedAndEmitOpen(into: &log)
                emit(log, into: &outputs)
            case .revision:
                let deadlines = timeline.deadlines(SegmentationRules(configuration))
                var log = revisionBatch(at: deadlines.lastRevision(from: due.time, until: now))
                timeline.events.emitRevision(into: &log)
                emit(log, into: &outputs)
            case .geofence:
                geofences.processDeadlines(at: due.time)
                emit(geofences.takeEvents(), at: due.time, into: &outputs)
            }
        }
    }

    /// Records the last known position again.
    mutating func recordLastKnownPosition(
        _ cause: LocationCause, at time: Timestamp, into outputs: inout [TrackerOutput]
    ) {
        guard let fix = recent.filter.lastAccepted else { return }
        sampler.markRecorded(fix, at: time)
        emit(location(of: fix, cause: cause, at: time), into: &outputs)
    }
}
