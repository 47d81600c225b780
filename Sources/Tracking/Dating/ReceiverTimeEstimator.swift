import OdographCivilTime
import OdographModel

/// Determines the time from a receiver on a machine whose clock is not set.
///
/// A single date can be wrong: a truncated line, a cached report, a receiver that has not decoded the date yet. A
/// timeline that was once in another century stays there. So only dates that agree with the monotonic clock count.
struct ReceiverTimeEstimator: Equatable, Sendable, Codable {
    /// The number of consecutive dates that must agree: the same as for positions.
    private static let requiredFixes = FixFilter.requiredFixesForPosition

    private var lastTime: Timestamp?
    private var lastUptimeMilliseconds: Int64 = 0
    private var count = 0
    private var offsetMilliseconds: Int64 = 0

    /// Adds a position with a date.
    /// - Parameter toleranceSeconds: the largest delay of a report in the machine, seconds.
    /// - Returns: time minus uptime, milliseconds, if the dates agree; else nil.
    mutating func add(_ fix: Fix, toleranceSeconds: Double) -> Int64? {
        let uptime = fix.received.uptimeMilliseconds
        let offset = fix.timestamp.millisecondsSinceEpoch - uptime
        let elapsed = Double(uptime - lastUptimeMilliseconds) / 1000
        // Some receivers report a position twice; the second report is no evidence, neither for a date nor against it.
        if fix.timestamp == lastTime, elapsed <= toleranceSeconds { return nil }
        if let lastTime, fix.timestamp > lastTime,
            abs(fix.timestamp.seconds(since: lastTime) - elapsed) <= toleranceSeconds
        {
            count += 1
            // Reports can be late but never early.
            offsetMilliseconds = max(offsetMilliseconds, offset)
        } else {
            count = 1
            offsetMilliseconds = offset
        }
        lastTime = fix.timestamp
        lastUptimeMilliseconds = uptime
        return count >= Self.requiredFixes ? offsetMilliseconds : nil
    }
}
