import OdographModel
import OdographPositioning

/// Looks for new rules of time zones from time to time, for an agent that gets no positions.
struct ZoneRefresh: Sendable {
    /// The time between two looks, milliseconds.
    private static let intervalMilliseconds: Int64 = 30_000

    let clock: any AgentClock
    /// Reads the zones again.
    let refresh: @Sendable () async -> Void

    /// Looks until the task is cancelled.
    func run() async {
        while !Task.isCancelled {
            let due = clock.now().uptimeMilliseconds + Self.intervalMilliseconds
            do { try await clock.sleep(untilUptimeMilliseconds: due) } catch { return }
            await refresh()
        }
    }
}
