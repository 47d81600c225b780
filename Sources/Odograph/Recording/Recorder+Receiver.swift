import Logging
import OdographModel
import OdographPositioning
import OdographTracking

/// Reports a silent receiver. Without this, a vehicle that never had a position gives no sign of the fault.
extension Recorder {
    /// The delay before the problem is raised. A gpsd that restarts, or starts after the agent, is connected within a
    /// minute.
    private static let receiverTimeoutMilliseconds: Int64 = 60_000

    /// Handles a state of the source. A silent replay is at its end.
    package func updateReceiverProblem(_ state: SourceState, _ detail: String) {
        guard !usesVirtualTime else { return }
        sourceLostTask?.cancel()
        guard state == .lost else {
            sourceLostTask = nil
            problems.clear(.sourceLost)
            return
        }
        let due = clock.now().uptimeMilliseconds + Self.receiverTimeoutMilliseconds
        sourceLostTask = Task { [weak self, clock] in
            do { try await clock.sleep(untilUptimeMilliseconds: due) } catch { return }
            await self?.raiseSourceLost(detail)
        }
    }

    private func raiseSourceLost(_ detail: String) {
        // A newer state cancels this task, possibly after it woke up.
        guard !Task.isCancelled else { return }
        let sentence = "no positions: \(detail); run odograph doctor"
        problems.raise(.sourceLost, sentence, at: .warning, in: logger)
    }
}
