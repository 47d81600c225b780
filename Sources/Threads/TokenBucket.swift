/// A rate limit that allows a burst.
package struct TokenBucket: Hashable, Sendable {
    private let capacity: Double
    private let perSecond: Double
    private var tokens: Double
    private var uptimeMilliseconds: Int64?

    /// - Parameters:
    ///   - capacity: The size of the burst, ≥ 1.
    ///   - perSecond: The rate in the long term, > 0.
    package init(capacity: Double, perSecond: Double) {
        self.capacity = capacity
        self.perSecond = perSecond
        tokens = capacity
    }

    /// Takes tokens if the bucket has them.
    /// - Parameter count: The number of tokens. If it is larger than the capacity, a full bucket is enough; what is
    ///   missing is paid later, so that the rate is kept in the long term.
    /// - Returns: Whether the action is allowed now. If so, it is counted.
    package mutating func take(_ count: Double = 1, atUptimeMilliseconds now: Int64) -> Bool {
        guard waitMilliseconds(for: count, atUptimeMilliseconds: now) == 0 else { return false }
        tokens -= count
        return true
    }

    /// Returns the time until an action that takes this number of tokens is allowed, milliseconds. 0 if it is allowed
    /// now.
    package mutating func waitMilliseconds(for count: Double = 1, atUptimeMilliseconds now: Int64) -> Int64 {
        fill(now)
        let missing = min(count, capacity) - tokens
        return missing <= 0 ? 0 : Int64((missing / perSecond * 1000).rounded(.up))
    }

    private mutating func fill(_ now: Int64) {
        let elapsed = max(now - (uptimeMilliseconds ?? now), 0)
        uptimeMilliseconds = now
        tokens = min(tokens + Double(elapsed) / 1000 * perSecond, capacity)
    }
}
