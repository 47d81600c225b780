import OdographThreads

/// Decides when the next message may leave, so that ``RateLimits`` are kept.
///
/// A token bucket of capacity B and rate r lets less than B + r through in less than a second. B is a tenth of the cap,
/// and r is the rest, so no second exceeds the cap.
struct RateLimiter {
    private struct Cap {
        let burst: Double
        var bucket: TokenBucket

        init(perSecond cap: Int) {
            burst = max(Double(cap / 10), 1)
            bucket = TokenBucket(capacity: burst, perSecond: Double(cap) - burst + 1)
        }
    }

    private var messages: Cap?
    private var bytes: Cap?

    init(_ limits: RateLimits) {
        messages = limits.messagesPerSecond.map { Cap(perSecond: $0) }
        bytes = limits.bytesPerSecond.map { Cap(perSecond: $0) }
    }

    /// Whether there is no cap.
    var isUnlimited: Bool { messages == nil && bytes == nil }

    /// Returns the time until a batch may begin, in milliseconds; 0 if it may begin now.
    ///
    /// It waits for half a burst, if so much is pending: one message for each token would wake the thread, and cost a
    /// segment, for each message.
    /// - Parameters:
    ///   - pendingCount: The number of pending messages, ≥ 1.
    ///   - messageBytes: The size of the first of them.
    mutating func waitForBatchMilliseconds(pendingCount: Int, messageBytes: Int, now: Int64) -> Int64 {
        let count = messages.map { min(Double(pendingCount), max($0.burst / 2, 1)) } ?? 0
        let size = bytes.map { cap in
            max(Double(messageBytes), min(Double(pendingCount) * Double(messageBytes), cap.burst / 2))
        }
        return waitMilliseconds(count: count, bytes: size ?? 0, now: now)
    }

    /// Takes the tokens of a message. Returns the time until it may leave, in milliseconds; 0 if it leaves now.
    mutating func takeMilliseconds(messageBytes: Int, now: Int64) -> Int64 {
        let wait = waitMilliseconds(count: 1, bytes: Double(messageBytes), now: now)
        guard wait == 0 else { return wait }
        _ = messages?.bucket.take(1, atUptimeMilliseconds: now)
        _ = bytes?.bucket.take(Double(messageBytes), atUptimeMilliseconds: now)
        return 0
    }

    private mutating func waitMilliseconds(count: Double, bytes size: Double, now: Int64) -> Int64 {
        max(
            messages?.bucket.waitMilliseconds(for: count, atUptimeMilliseconds: now) ?? 0,
            bytes?.bucket.waitMilliseconds(for: size, atUptimeMilliseconds: now) ?? 0)
    }
}
