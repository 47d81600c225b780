import OdographPositioning
import OdographThreads

/// Limits the statuses that follow from messages of others and from problems: 20 at once, then six a minute. Another
/// client with this agent's login could otherwise make it publish without end, over a link that can be metered.
enum StatusRate {
    /// Publishes once for each signal, until the task is cancelled. Signals that come during a wait are one.
    static func run(_ signal: CoalescingSignal, clock: any AgentClock, publish: @Sendable () async -> Void) async {
        var bucket = TokenBucket(capacity: 20, perSecond: 0.1)
        for await _ in signal.stream {
            while true {
                let now = clock.now().uptimeMilliseconds
                if bucket.take(atUptimeMilliseconds: now) { break }
                let due = now + bucket.waitMilliseconds(atUptimeMilliseconds: now)
                do { try await clock.sleep(untilUptimeMilliseconds: due) } catch { return }
            }
            await publish()
        }
    }
}
