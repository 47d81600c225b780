import CivilTime

/// The clock that a shell gives its sources; a test gives one of its own.
public protocol AgentClock: Sendable {
    /// Both clocks, read now.
    func now() -> ClockReading

    /// Returns when the monotonic clock has reached an instant, at once if it has already.
    /// - Throws: `CancellationError` when the task is cancelled before.
    func sleep(untilUptimeMilliseconds uptimeMilliseconds: Int64) async throws
}
