import Logging
import Positioning
import Tracking

/// Says that the receiver cannot be heard: a vehicle that never had a position records nothing that would tell of it.
extension Recorder {
    /// A gpsd that is started anew, or after the agent, is heard again within a minute.
    private static let receiverTimeoutMilliseconds: Int64 = 60_000

    /// What the source says of itself. A replay that is silent is at its end.
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
        // Whatever was heard while this task waited for its turn has cancelled it.
        guard !Task.isCancelled else { return }
        let sentence = "there are no positions: \(detail); odograph doctor says what to do"
        problems.raise(.sourceLost, sentence, at: .warning, in: logger)
    }
}
