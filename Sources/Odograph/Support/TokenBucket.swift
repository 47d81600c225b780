/// Bounds how often something is done: a few times at once, then so often a second.
struct TokenBucket: Hashable, Sendable {
    private let capacity: Double
    private let perSecond: Double
    private var tokens: Double
    private var uptimeMilliseconds: Int64?

    /// - Parameters:
    ///   - capacity: how often at once, ≥ 1.
    ///   - perSecond: how often a second in the long run, > 0.
    init(capacity: Double, perSecond: Double) {
        self.capacity = capacity
        self.perSecond = perSecond
        tokens = capacity
    }

    /// - Returns: whether it may be done now; then it counts as done.
    mutating func take(atUptimeMilliseconds now: Int64) -> Bool {
        fill(now)
        guard tokens >= 1 else { return false }
        tokens -= 1
        return true
    }

    /// How long until it may be done, milliseconds; 0: now.
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
