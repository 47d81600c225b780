import OdographCivilTime
import OdographModel

/// The clock of a source. Tests supply their own.
public protocol AgentClock: Sendable {
    /// Returns the current readings of both clocks.
    func now() -> ClockReading

    /// Returns when the monotonic clock has reached a time; immediately if it has already.
    /// - Throws: `CancellationError` if the task is cancelled earlier.
    func sleep(untilUptimeMilliseconds uptimeMilliseconds: Int64) async throws
}
