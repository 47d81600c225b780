import OdographPositioning
import OdographModel

/// The state of the recording for the stall detector.
struct PipelineState: Sendable {
    /// Whether the source has ended.
    var hasSourceEnded: Bool
    /// The time of the source's last event, while it has positions. On the monotonic clock, milliseconds.
    var lastSourceEventMilliseconds: Int64?
    /// The time at which the next commit is or was due, on the monotonic clock, milliseconds.
    var commitDueMilliseconds: Int64?
}

/// Decides whether the position source is silent; ``Recorder`` executes it.
///
/// Without this, a vehicle that never had a position gives no sign of the fault.
struct SourceMonitor {
    /// The delay before a lost source is reported, milliseconds. A gpsd that restarts, or starts after the agent, is
    /// connected within a minute.
    private static let timeoutMilliseconds: Int64 = 60_000

    /// Whether the source has ended.
    var hasEnded = false
    /// The time of the source's last event, on the monotonic clock. nil unless the source has positions.
    private(set) var lastEventUptimeMilliseconds: Int64?
    /// The task that reports the loss of the source. nil if it is not lost.
    private var alarm: Task<Void, Never>?

    /// Notes an event of the source.
    mutating func observe(_ event: SourceEvent.Content, uptimeMilliseconds: Int64) {
        switch event {
        case .state(let state, at: _, detail: _) where state != .available: lastEventUptimeMilliseconds = nil
        case .state: lastEventUptimeMilliseconds = uptimeMilliseconds
        case .fix, .undatedFix:
            if lastEventUptimeMilliseconds != nil { lastEventUptimeMilliseconds = uptimeMilliseconds }
        }
    }

    /// Replaces the report of the state before.
    /// - Parameter start: Returns a task that reports the loss at a time of the monotonic clock.
    /// - Returns: Whether the source is not lost, which ends the problem.
    mutating func updateAlarm(
        _ state: SourceState, uptimeMilliseconds: Int64, start: (_ due: Int64) -> Task<Void, Never>
    ) -> Bool {
        alarm?.cancel()
        alarm = state == .lost ? start(uptimeMilliseconds + Self.timeoutMilliseconds) : nil
        return alarm == nil
    }

    /// Ends the report of a loss.
    func stop() {
        alarm?.cancel()
    }
}
