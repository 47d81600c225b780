import OdographModel

/// Decides whether the position source is silent; ``InputPipeline`` executes it.
///
/// Without this, a vehicle that never had a position gives no sign of the fault.
struct SourceMonitor {
    /// The delay before a lost source is reported, milliseconds. A gpsd that restarts, or starts after the agent, is
    /// connected within a minute.
    private static let timeoutMilliseconds: Int64 = 60_000

    private enum State {
        case unavailable
        case available(lastEventUptimeMilliseconds: Int64)
        /// The time of the report, on the monotonic clock, and the reason.
        case lost(dueUptimeMilliseconds: Int64, detail: String)
    }

    /// Whether the source has ended.
    var hasEnded = false
    private var state = State.unavailable
    /// The time at which the source was lost, while it has no position since, on the monotonic clock.
    private var lostSinceMilliseconds: Int64?
    /// The time from which it says that it has none.
    private var noFixSinceMilliseconds: Int64?

    /// The time of the source's last event, on the monotonic clock. nil unless the source has positions.
    var lastEventUptimeMilliseconds: Int64? {
        if case .available(let uptime) = state { uptime } else { nil }
    }

    /// The time at which the loss of the source is reported, on the monotonic clock, and its reason, for people. nil
    /// unless the source is lost.
    var loss: (dueUptimeMilliseconds: Int64, detail: String)? {
        if case .lost(let due, let detail) = state { (due, detail) } else { nil }
    }

    mutating func observePosition(uptimeMilliseconds: Int64) {
        if case .available = state { state = .available(lastEventUptimeMilliseconds: uptimeMilliseconds) }
    }

    /// Replaces the state. A receiver that is back for a moment and finds no position, as with a weak supply, does not
    /// begin the delay again. Another reason of a loss does not either.
    /// - Parameter detail: The reason, for people.
    mutating func observe(_ new: SourceState, _ detail: String, uptimeMilliseconds: Int64) {
        switch new {
        case .available:
            state = .available(lastEventUptimeMilliseconds: uptimeMilliseconds)
            (lostSinceMilliseconds, noFixSinceMilliseconds) = (nil, nil)
        case .lost:
            let isMomentary = noFixSinceMilliseconds.map { uptimeMilliseconds - $0 < Self.timeoutMilliseconds } ?? true
            let since = (isMomentary ? lostSinceMilliseconds : nil) ?? uptimeMilliseconds
            state = .lost(dueUptimeMilliseconds: since + Self.timeoutMilliseconds, detail: detail)
            (lostSinceMilliseconds, noFixSinceMilliseconds) = (since, nil)
        case .noFix:
            state = .unavailable
            noFixSinceMilliseconds = noFixSinceMilliseconds ?? uptimeMilliseconds
        }
    }
}
