import CivilTime

/// Finds out what time it is from a receiver, on a machine that does not know.
///
/// A single date may be that of a cut line, of a cached report or of a receiver that has not heard it from the sky yet, and
/// a timeline that has once been in another century stays there. So dates are believed that go on with the monotonic clock.
struct ReceiverTimeEstimator: Equatable, Sendable, Codable {
    /// As many dates in a row must agree: as many as overrule a position.
    private static let requiredFixes = FixFilter.requiredFixesForPosition

    private var lastTime: Timestamp?
    private var lastUptimeMilliseconds: Int64 = 0
    private var count = 0
    private var offsetMilliseconds: Int64 = 0

    /// A position with a date came.
    /// - Parameter toleranceSeconds: so much later than another may a report come through the machine.
    /// - Returns: time minus uptime, milliseconds, where the dates agree; else nil.
    mutating func add(_ fix: Fix, toleranceSeconds: Double) -> Int64? {
        let uptime = fix.received.uptimeMilliseconds
        let offset = fix.timestamp.millisecondsSinceEpoch - uptime
        let elapsed = Double(uptime - lastUptimeMilliseconds) / 1000
        if let lastTime, fix.timestamp > lastTime,
            abs(fix.timestamp.seconds(since: lastTime) - elapsed) <= toleranceSeconds
        {
            count += 1
            // A report comes late and never early.
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
