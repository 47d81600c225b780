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
        /// The task reports the loss. nil in a replay, which is at its end then.
        case lost(Task<Void, Never>?)
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

    mutating func observePosition(uptimeMilliseconds: Int64) {
        if case .available = state { state = .available(lastEventUptimeMilliseconds: uptimeMilliseconds) }
    }

    /// Replaces the state, and ends the report of the state before. A receiver that is back for a moment and finds no
    /// position, as with a weak supply, does not begin the delay again. Another reason of a loss does not either.
    /// - Parameter startReport: Returns a task that reports the loss at a time of the monotonic clock.
    mutating func observe(
        _ new: SourceState, uptimeMilliseconds: Int64, startReport: (_ due: Int64) -> Task<Void, Never>?
    ) {
        stop()
        switch new {
        case .available:
            state = .available(lastEventUptimeMilliseconds: uptimeMilliseconds)
            (lostSinceMilliseconds, noFixSinceMilliseconds) = (nil, nil)
        case .lost:
            let isMomentary = noFixSinceMilliseconds.map { uptimeMilliseconds - $0 < Self.timeoutMilliseconds } ?? true
            let since = (isMomentary ? lostSinceMilliseconds : nil) ?? uptimeMilliseconds
            state = .lost(startReport(since + Self.timeoutMilliseconds))
            (lostSinceMilliseconds, noFixSinceMilliseconds) = (since, nil)
        case .noFix:
            state = .unavailable
            noFixSinceMilliseconds = noFixSinceMilliseconds ?? uptimeMilliseconds
        }
    }

    /// Ends the report of a loss.
    func stop() {
        if case .lost(let report) = state { report?.cancel() }
    }
}
