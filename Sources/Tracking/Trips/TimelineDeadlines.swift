import OdographCivilTime

/// The times at which the timeline changes without an input.
struct TimelineDeadlines {
    let events: EventSequence
    let rules: SegmentationRules

    /// The time at which the open event has been without positions for too long. Nil where that does not matter.
    var gap: Timestamp? {
        guard let open = events.open, let last = events.lastTime else { return nil }
        let begin: Timestamp? =
            switch open.phase {
            case .trip, .unknown: max(last, open.start)
            case .offTheGrid(.powerOff): events.gapEvidence.downtime?.end
            case .stationary, .offTheGrid: nil
            }
        return begin?.advanced(bySeconds: rules.timeline.gapSeconds)
    }

    /// The time at which the end of the event before the open one is certain without further positions.
    var finalization: Timestamp? {
        guard events.ended != nil, let open = events.open, open.isStationary, let last = events.lastTime else {
            return nil
        }
        return max(
            open.restStart.advanced(bySeconds: rules.longestProvisionalSeconds),
            last.advanced(bySeconds: rules.timeline.gapSeconds))
    }

    /// The time of the next revision of the open event. Nil for never.
    var revision: Timestamp? {
        guard let last = events.emitter.lastPublished, let interval = revisionIntervalSeconds else { return nil }
        return last.advanced(bySeconds: interval)
    }

    /// Returns the last of several revisions that are due at once, as after the machine slept or the date jumped.
    func lastRevision(from due: Timestamp, until now: Timestamp) -> Timestamp {
        guard let interval = revisionIntervalSeconds else { return due }
        let now = gap.map { max(min(now, $0), due) } ?? now
        return due.advanced(bySeconds: (now.seconds(since: due) / interval).rounded(.down) * interval)
    }

    private var revisionIntervalSeconds: Double? {
        guard let open = events.open else { return nil }
        if open.trip != nil { return rules.timeline.updateIntervalSeconds }
        return rules.heartbeatSeconds > 0 ? max(rules.heartbeatSeconds, rules.timeline.updateIntervalSeconds) : nil
    }
}
