import OdographCivilTime
import OdographModel
import OdographPositioning
import OdographStore

/// Scans a large database for damage in small steps, after the agent has started and connected.
struct IntegrityScanner: Sendable {
    /// The delay before the first step. The first seconds belong to the link.
    private static let delayMilliseconds: Int64 = 2000
    /// The pause between two steps of about a millisecond: a twentieth of a core.
    private static let pauseMilliseconds: Int64 = 20
    /// The delay after a failure, for example a full disk.
    private static let retryMilliseconds: Int64 = 60_000

    let store: AgentStore
    let clock: any AgentClock

    /// Scans until the end of the database or the cancellation of the task. The store reports damage to its own
    /// observer.
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
                // Commits meet the same failure and report it.
                pause = Self.retryMilliseconds
            }
        }
    }
}
