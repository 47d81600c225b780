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

    /// - Returns: Whether the action is allowed now. If so, it is counted.
    package mutating func take(atUptimeMilliseconds now: Int64) -> Bool {
        fill(now)
        guard tokens >= 1 else { return false }
        tokens -= 1
        return true
    }

    /// Returns the time until the next action is allowed, milliseconds. 0 if it is allowed now.
    mutating func waitMilliseconds(atUptimeMilliseconds now: Int64) -> Int64 {
        fill(now)
        return tokens >= 1 ? 0 : Int64(((1 - tokens) / perSecond * 1000).rounded(.up))
    }

    private mutating func fill(_ now: Int64) {
        let elapsed = max(now - (uptimeMilliseconds ?? now), 0)
        uptimeMilliseconds = now
        tokens = min(tokens + Double(elapsed) / 1000 * perSecond, capacity)
    }
}
