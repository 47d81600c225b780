import CivilTime

/// The agent is off, and is found to have been at the next start. The receiver may be away then for reasons of its own.
extension TripSegmenter {
    /// The agent was started.
    /// - Parameters:
    ///   - time: when; nil where nobody knows.
    ///   - wasClockUntrusted: whether there were positions before that nobody can date.
    mutating func noteAgentStart(at time: Timestamp?, wasClockUntrusted: Bool) {
        lastGapReason = wasClockUntrusted ? .clockUntrusted : nil
        switch open?.phase {
        case .offTheGrid(.powerOff) where wasClockUntrusted:
            open?.phase = .offTheGrid(.clockUntrusted)
            agentDowntime = nil
        case .offTheGrid(let reason) where reason != .powerOff:
            // It goes on for the reason that it has; how long the agent was off in it nobody knows.
            break
        default: agentDowntime = wasClockUntrusted ? nil : AgentDowntime(end: time)
        }
    }

    /// Why there have been no positions since the last one.
    /// - Parameter time: when they come again; nil while nobody knows.
    func gapReason(until time: Timestamp? = nil, _ rules: SegmentationRules) -> OffTheGridReason {
        guard let agentDowntime, let lastTime else { return lastGapReason ?? .noFix }
        guard let end = agentDowntime.end else { return .powerOff }
        let gap = rules.timeline.gapSeconds
        // Off for a moment, as to be renewed: that is no reason.
        if end.seconds(since: lastTime) <= gap { return lastGapReason ?? .noFix }
        return (time?.seconds(since: end) ?? 0) > gap ? lastGapReason ?? .noFix : .powerOff
    }

    /// An absence in which the agent was off, and which went on for another reason after it was started, ends: it is told
    /// as two.
    mutating func splitOffAgentDowntime(
        before limit: Timestamp, rules: SegmentationRules, into log: inout RevisionBatch
    ) {
        guard let event = open, case .offTheGrid(let reason) = event.phase, reason != .powerOff,
            let end = agentDowntime?.end,
            end.seconds(since: event.start) > rules.timeline.gapSeconds, end < limit
        else { return }
        agentDowntime = nil
        open?.phase = .offTheGrid(.powerOff)
        finalizeOpenEvent(at: end, meters: lastMeters, rules: rules, into: &log)
        openEvent(.offTheGrid(reason), at: end, meters: lastMeters)
    }
}
