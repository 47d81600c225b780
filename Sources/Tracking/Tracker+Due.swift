import CivilTime

/// What falls due by itself, without an input: heartbeats, gaps, ends that have become certain, revisions,
/// requests that wait no longer.
extension Tracker {
    /// What there is.
    enum Due { case heartbeat, provider, request, gap, settling, revision, geofence }

    /// The next thing that falls due by itself.
    ///
    /// Until somebody knows the time nothing is said that would carry a date of the machine's, nor an age by it.
    func nextDue(isTimeKnown: Bool) -> (time: Timestamp, what: Due)? {
        guard !isResting else { return requests.due.map { ($0, .request) } }
        let rules = TimelineRules(configuration)
        guard isTimeKnown else {
            return [
                requests.due.map { ($0, .request) },
                timeline.gapDue(rules: rules).map { ($0, .gap) },
            ].compactMap { $0 }.min { $0.time < $1.time }
        }
        let dues: [(time: Timestamp, what: Due)?] = [
            requests.due.map { ($0, .request) },
            provider.due(delaySeconds: configuration.providerChangeDelaySeconds).map { ($0, .provider) },
            heartbeatDue.map { ($0, .heartbeat) },
            timeline.gapDue(rules: rules).map { ($0, .gap) },
            timeline.settlingDue(rules: rules).map { ($0, .settling) },
            timeline.revisionDue(rules: rules).map { ($0, .revision) },
            geofences.due.map { ($0, .geofence) },
        ]
        return dues.compactMap { $0 }.min { $0.time < $1.time }
    }

    /// Where the last position was forgotten, as a private time's is, there is none to be told once more.
    private var heartbeatDue: Timestamp? {
        guard filter.lastAccepted != nil else { return nil }
        return sampler.heartbeatDue(intervalSeconds: configuration.heartbeatIntervalSeconds)
    }

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
