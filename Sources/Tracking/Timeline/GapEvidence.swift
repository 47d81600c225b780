import OdographCivilTime
import OdographModel

/// The evidence about the reason for a gap, collected since the last position.
struct GapEvidence: Equatable, Sendable, Codable {
    /// A time when the agent, or the machine, was off.
    struct Downtime: Equatable, Sendable, Codable {
        /// The time of the next start. Nil where the time was not known then.
        var end: Timestamp?
    }

    /// The last known reason. Nil while positions come.
    var reason: OffTheGridReason?
    /// Nil where the agent ran all the time.
    var downtime: Downtime?

    /// Takes the state of the position source, for the case that no positions come.
    mutating func setSourceState(_ state: SourceState) {
        switch state {
        case .available: reason = reason ?? .noFix
        case .noFix: reason = reason == .clockUntrusted ? reason : .noFix
        case .lost: reason = .sourceLost
        }
    }

    /// Takes a start of the agent.
    /// - Parameters:
    ///   - time: Nil where the time is not known.
    ///   - wasClockUntrusted: Whether earlier positions can never be dated.
    ///   - event: The open event.
    mutating func noteAgentStart(at time: Timestamp?, wasClockUntrusted: Bool, event: inout OpenEvent?) {
        reason = wasClockUntrusted ? .clockUntrusted : nil
        switch event?.phase {
        case .offTheGrid(.powerOff) where wasClockUntrusted:
            event?.phase = .offTheGrid(.clockUntrusted)
            downtime = nil
        case .offTheGrid(let known) where known != .powerOff:
            // The gap keeps its reason. The time when the agent went off in it is not known.
            break
        default: downtime = wasClockUntrusted ? nil : Downtime(end: time)
        }
    }

    /// Returns the reason why there are no positions.
    /// - Parameters:
    ///   - last: The time of the last position.
    ///   - time: The time of the next position. Nil while there is none.
    ///   - gap: The shortest time without positions that is a gap, seconds.
    func reason(since last: Timestamp?, until time: Timestamp? = nil, gapSeconds gap: Double) -> OffTheGridReason {
        guard let downtime, let last else { return reason ?? .noFix }
        guard let end = downtime.end else { return .powerOff }
        // An agent that was off for a moment, as for an update, is no reason.
        let isShort = end.seconds(since: last) <= gap
        let hasOtherPart = (time?.seconds(since: end) ?? 0) > gap
        return isShort || hasOtherPart ? reason ?? .noFix : .powerOff
    }

    /// Returns the end of the downtime that a gap with another reason begins with. Nil where there is none.
    /// - Parameters:
    ///   - limit: The end of the gap.
    ///   - gap: The shortest time without positions that is a gap, seconds.
    func downtimeEnd(in event: OpenEvent, before limit: Timestamp, gapSeconds gap: Double) -> Timestamp? {
        guard case .offTheGrid(let reason) = event.phase, reason != .powerOff, let end = downtime?.end,
            end.seconds(since: event.start) > gap, end < limit
        else { return nil }
        return end
    }
}

extension OffTheGridReason {
    /// Whether a gap for this reason can turn out to be a stop. A time that is deliberately not recorded cannot.
    var mayHideStop: Bool {
        switch self {
        case .noFix, .sourceLost, .powerOff: true
        case .offSchedule, .disabled, .clockUntrusted: false
        }
    }
}
