import CivilTime

/// The agent is off, and is found to have been at the next start. The receiver may be away then for reasons of its own.
extension TimelineKeeper {
    /// The agent was started.
    /// - Parameters:
    ///   - time: when; nil where nobody knows.
    ///   - wasClockUntrusted: whether there were positions before that nobody can date.
    mutating func restarted(at time: Timestamp?, wasClockUntrusted: Bool) {
        absence = wasClockUntrusted ? .clockUntrusted : nil
        switch open?.phase {
        case .offTheGrid(.powerOff) where wasClockUntrusted:
            open?.phase = .offTheGrid(.clockUntrusted)
            pause = nil
        case .offTheGrid(let reason) where reason != .powerOff:
            // It goes on for the reason that it has; how long the agent was off in it nobody knows.
            break
        default: pause = wasClockUntrusted ? nil : AgentPause(end: time)
        }
    }

    /// Why there have been no positions since the last one.
    /// - Parameter time: when they come again; nil while nobody knows.
    func absenceReason(until time: Timestamp? = nil, _ rules: TimelineRules) -> OffTheGridReason {
        guard let pause, let lastTime else { return absence ?? .noFix }
        guard let end = pause.end else { return .powerOff }
        let gap = rules.timeline.gapSeconds
        // Off for a moment, as to be renewed: that is no reason.
        if end.seconds(since: lastTime) <= gap { return absence ?? .noFix }
        return (time?.seconds(since: end) ?? 0) > gap ? absence ?? .noFix : .powerOff
    }

    /// An absence in which the agent was off, and which went on for another reason after it was started, ends: it is told
    /// as two.
    mutating func partPause(before limit: Timestamp, rules: TimelineRules, into log: inout TimelineLog) {
        guard let event = open, case .offTheGrid(let reason) = event.phase, reason != .powerOff, let end = pause?.end,
            end.seconds(since: event.start) > rules.timeline.gapSeconds, end < limit
        else { return }
        pause = nil
        open?.phase = .offTheGrid(.powerOff)
        close(at: end, meters: lastMeters, rules: rules, into: &log)
        openEvent(.offTheGrid(reason), at: end, meters: lastMeters)
    }
}
