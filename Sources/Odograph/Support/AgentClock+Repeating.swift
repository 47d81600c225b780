import OdographModel
import OdographPositioning

extension AgentClock {
    /// Calls a function again and again, until the task is cancelled.
    /// - Parameters:
    ///   - interval: The time before the first call, and between the end of a call and the next one, milliseconds.
    ///   - action: The function.
    func repeatAction(everyMilliseconds interval: Int64, _ action: @Sendable () async -> Void) async {
        while !Task.isCancelled {
            do { try await sleep(untilUptimeMilliseconds: now().uptimeMilliseconds + interval) } catch { return }
            await action()
        }
    }
}
