import CivilTime

/// What falls due by itself, without an input: heartbeats, gaps, ends that have become certain, revisions,
/// requests that wait no longer.
extension Tracker {
    /// What falls due; of two at one instant the one that stands first here.
    enum Due: CaseIterable {
        case request, provider, heartbeat, gap, settling, revision, geofence

        /// Whether it falls due while nobody knows the time: it says nothing that would carry a date of the machine's, nor an
        /// age by it.
        var needsNoDate: Bool { self == .request || self == .gap }
    }

    /// The next thing that falls due by itself.
    func nextDue(isTimeKnown: Bool) -> (time: Timestamp, what: Due)? {
        guard !isResting else { return requests.due.map { ($0, .request) } }
        let rules = TimelineRules(configuration)
        var next: (time: Timestamp, what: Due)?
        for what in Due.allCases where isTimeKnown || what.needsNoDate {
            guard let time = time(of: what, rules: rules), next.map({ time < $0.time }) ?? true else { continue }
            next = (time, what)
        }
        return next
    }

    private func time(of due: Due, rules: TimelineRules) -> Timestamp? {
        switch due {
        case .request: requests.due
        case .provider: provider.due(delaySeconds: configuration.providerChangeDelaySeconds)
        case .heartbeat: heartbeatDue
        case .gap: timeline.gapDue(rules: rules)
        case .settling: timeline.settlingDue(rules: rules)
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
    mutating func doWhatFellDue(until now: Timestamp, into outputs: inout [TrackerOutput]) {
        while let due = nextDue(isTimeKnown: isTimeKnown), due.time <= now {
            switch due.what {
            case .request:
                for (request, best) in requests.timedOut(at: due.time) {
                    outputs.append(.position(best, request: request.id))
                    if let best, request.isPersisted { tell(best, into: &outputs) }
                }
            case .provider:
                provider.reported()
                recordKnown(.providerChange, at: due.time, into: &outputs)
            case .heartbeat:
                // A machine that slept through several heartbeats says one, with the time of the last.
                let interval = configuration.heartbeatIntervalSeconds
                let missed = (now.seconds(since: due.time) / interval).rounded(.down)
                recordKnown(.heartbeat, at: due.time.advanced(bySeconds: missed * interval), into: &outputs)
            case .gap:
                var log = TimelineLog(now: due.time)
                timeline.lose(rules: TimelineRules(configuration), into: &log)
                epochs.interrupt()
                movement.interrupt()
                tell(log, into: &outputs)
            case .settling:
                var log = TimelineLog(now: due.time)
                timeline.settleAndPublish(rules: TimelineRules(configuration), into: &log)
                tell(log, into: &outputs)
            case .revision:
                let rules = TimelineRules(configuration)
                var log = TimelineLog(now: timeline.lastRevisionDue(from: due.time, until: now, rules: rules))
                timeline.publish(into: &log)
                tell(log, into: &outputs)
            case .geofence:
                geofences.fallDue(at: due.time)
                tell(geofences.takeEvents(), at: due.time, into: &outputs)
            }
        }
    }

    /// Records the last known position once more.
    mutating func recordKnown(
        _ cause: LocationCause, at time: Timestamp, into outputs: inout [TrackerOutput]
    ) {
        guard let fix = filter.lastAccepted else { return }
        sampler.recorded(fix, at: time)
        tell(location(of: fix, cause: cause, at: time), into: &outputs)
    }
}
