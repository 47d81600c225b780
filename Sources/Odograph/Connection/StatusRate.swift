import OdographThreads

/// Limits the statuses that follow from messages of others and from problems: 20 at once, then six a minute. Another
/// client with this agent's login could otherwise make it publish without end, over a link that can be metered.
enum StatusRate {
    /// Publishes once for each signal, until the task is cancelled. Signals that come during a wait are one.
    static func run(_ signal: CoalescingSignal, publish: @Sendable () async -> Void) async {
        let start = ContinuousClock.now
        var bucket = TokenBucket(capacity: 20, perSecond: 0.1)
        for await _ in signal.stream {
            while true {
                let now = Int64(start.duration(to: .now) / .milliseconds(1))
                if bucket.take(atUptimeMilliseconds: now) { break }
                let wait = bucket.waitMilliseconds(atUptimeMilliseconds: now)
                guard (try? await Task.sleep(for: .milliseconds(wait))) != nil else { return }
            }
            await publish()
        }
    }
}
