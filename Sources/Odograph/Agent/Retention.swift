import CivilTime
import Positioning
import Store

/// Gives up undelivered records that are older than they are to be kept.
struct Retention: Sendable {
    /// Ages are counted in days; looking more often would wake the machine for nothing.
    private static let intervalSeconds: Int64 = 3600

    let parts: AgentParts
    let clock: any AgentClock
    let configuration: AgentConfiguration

    /// Until the task is cancelled.
    func run() async {
        while !Task.isCancelled {
            await look()
            let next = clock.now().uptimeMilliseconds + Self.intervalSeconds * 1000
            do { try await clock.sleep(untilUptimeMilliseconds: next) } catch { return }
        }
    }

    private func look() async {
        let seconds = await parts.recorder.retentionSeconds
        let now = clock.now()
        guard seconds > 0, now.isSystemTimeTrusted else { return }
        // A failure is the store's to tell; the next look tries again.
        _ = try? await parts.store.expire(before: now.systemTime.advanced(bySeconds: -seconds), now: now.systemTime)
    }
}
