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
        case lost(Task<Void, Never>?, sinceUptimeMilliseconds: Int64)
    }

    /// Whether the source has ended.
    var hasEnded = false
    private var state = State.unavailable

    /// The time of the source's last event, on the monotonic clock. nil unless the source has positions.
    var lastEventUptimeMilliseconds: Int64? {
        if case .available(let uptime) = state { uptime } else { nil }
    }

    mutating func observePosition(uptimeMilliseconds: Int64) {
        if case .available = state { state = .available(lastEventUptimeMilliseconds: uptimeMilliseconds) }
    }

    /// Replaces the state, and ends the report of the state before.
    /// - Parameter startReport: Returns a task that reports the loss at a time of the monotonic clock.
    mutating func observe(
        _ new: SourceState, uptimeMilliseconds: Int64, startReport: (_ due: Int64) -> Task<Void, Never>?
    ) {
        stop()
        switch new {
        case .available: state = .available(lastEventUptimeMilliseconds: uptimeMilliseconds)
        case .lost:
            // Another reason of a loss does not delay its report.
            let since = if case .lost(_, let since) = state { since } else { uptimeMilliseconds }
            state = .lost(startReport(since + Self.timeoutMilliseconds), sinceUptimeMilliseconds: since)
        case .noFix: state = .unavailable
        }
    }

    /// Ends the report of a loss.
    func stop() {
        if case .lost(let report, _) = state { report?.cancel() }
    }
}
