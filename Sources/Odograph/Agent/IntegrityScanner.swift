import CivilTime
import Positioning
import Store

/// Has the store look through a large database, a little at a time, once the agent is up and has said so.
struct IntegrityScanner: Sendable {
    /// The first seconds are the link's.
    private static let delayMilliseconds: Int64 = 2000
    /// Between two parts of about a millisecond each: a twentieth of a core, and nobody waits for it.
    private static let pauseMilliseconds: Int64 = 20
    /// After a failure (a full disk, say) it goes on this much later.
    private static let retryMilliseconds: Int64 = 60_000

    let store: AgentStore
    let clock: any AgentClock

    /// Until all is looked at, or the task is cancelled. What is found the store tells whoever observes its damages.
    func run() async {
        var pause = Self.delayMilliseconds
        while !Task.isCancelled {
            do {
                try await clock.sleep(untilUptimeMilliseconds: clock.now().uptimeMilliseconds + pause)
            } catch {
                return
            }
            do {
                guard try await store.advanceIntegrityScan() else { return }
                pause = Self.pauseMilliseconds
            } catch {
                // Commits meet the same failure, and tell of it.
                pause = Self.retryMilliseconds
            }
        }
    }
}
