import OdographCivilTime
import OdographModel
import OdographPositioning
import OdographStore

/// Deletes expired records, delivered or not, records that receipts permit to delete, and expired timeline events that
/// are kept for queries.
struct Retention: Sendable {
    /// The time between two checks. Ages are counted in days; more checks would wake the machine for nothing.
    private static let intervalSeconds: Int64 = 3600

    /// The age at which timeline events expire, days: a year and a month, so that a query for a year is always
    /// complete.
    private static let timelineDays = 400.0

    let store: AgentStore
    let pipeline: InputPipeline
    let clock: any AgentClock

    /// Checks until the task is cancelled.
    func run() async {
        while !Task.isCancelled {
            // From the time of this check, which can take long.
            let next = clock.now().uptimeMilliseconds + Self.intervalSeconds * 1000
            await expireOldRecords()
            do { try await clock.sleep(untilUptimeMilliseconds: next) } catch { return }
        }
    }

    private func expireOldRecords() async {
        let seconds = await pipeline.settings.retentionSeconds
        let now = clock.now()
        guard now.isSystemTimeTrusted else { return }
        // The store reports its failures. The next check tries again.
        _ = try? await store.expireTimeline(
            before: now.systemTime.advanced(bySeconds: -Self.timelineDays * 86_400))
        try? await store.settleDelivery(now: now.systemTime)
        guard seconds > 0 else { return }
        _ = try? await store.expireRecords(
            before: now.systemTime.advanced(bySeconds: -seconds), now: now.systemTime)
    }
}
