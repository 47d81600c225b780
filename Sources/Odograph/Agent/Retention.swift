import CivilTime
import Positioning
import Store

/// Gives up undelivered records, and timeline events that are kept for queries, that are older than they are to be kept.
struct Retention: Sendable {
    /// Ages are counted in days; looking more often would wake the machine for nothing.
    private static let intervalSeconds: Int64 = 3600

    /// Timeline events are kept for a year and a month, so that a year can always be asked for whole, days.
    private static let timelineDays = 400.0

    let store: AgentStore
    let recorder: Recorder
    let clock: any AgentClock

    /// Until the task is cancelled.
    func run() async {
        while !Task.isCancelled {
            await expireOldRecords()
            let next = clock.now().uptimeMilliseconds + Self.intervalSeconds * 1000
            do { try await clock.sleep(untilUptimeMilliseconds: next) } catch { return }
        }
    }

    private func expireOldRecords() async {
        let seconds = await recorder.retentionSeconds
        let now = clock.now()
        guard now.isSystemTimeTrusted else { return }
        // A failure is the store's to tell; the next look tries again.
        _ = try? await store.expireTimeline(
            before: now.systemTime.advanced(bySeconds: -Self.timelineDays * 86_400))
        guard seconds > 0 else { return }
        _ = try? await store.expireRecords(
            before: now.systemTime.advanced(bySeconds: -seconds), now: now.systemTime)
    }
}
