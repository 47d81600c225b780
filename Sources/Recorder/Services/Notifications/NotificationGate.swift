import OdographThreads

/// Limits the notifications that a vehicle triggers. A vehicle cannot use up what a rule stores, and what its target
/// takes, however many records with events it publishes.
struct NotificationGate: Sendable {
    /// A rule and a vehicle.
    struct Key: Hashable, Sendable {
        /// The name of the rule.
        var rule: String
        /// The key of the vehicle.
        var vehicle: Int64
    }

    /// The number of notifications at once, and of those that wait.
    static let burst = 100
    /// The number of notifications an hour in the long run.
    static let perHour = 100.0
    /// The number of known vehicles of rules. The memory stays bounded if a client invents names.
    private static let maximumKeys = 100_000

    private var buckets: [Key: TokenBucket] = [:]

    /// Returns whether a notification is stored. Otherwise it is dropped.
    /// - Parameters:
    ///   - key: The rule and the vehicle.
    ///   - now: The monotonic clock, milliseconds.
    mutating func admit(_ key: Key, atUptimeMilliseconds now: Int64) -> Bool {
        if buckets[key] == nil, buckets.count >= Self.maximumKeys { buckets.removeAll() }
        let full = TokenBucket(capacity: Double(Self.burst), perSecond: Self.perHour / 3600)
        return buckets[key, default: full].take(atUptimeMilliseconds: now)
    }
}
