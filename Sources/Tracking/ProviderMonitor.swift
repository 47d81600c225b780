import CivilTime

/// Reports the absence of the position source once it is long enough for a record, and its return.
struct ProviderMonitor: Equatable, Sendable, Codable {
    private enum State: Equatable, Codable {
        case present
        case gone(since: Timestamp)
        case reportedGone
    }

    private var state = State.present

    mutating func updateSource(to new: SourceState, at time: Timestamp) {
        switch (state, new) {
        case (.present, .noFix), (.present, .lost): state = .gone(since: time)
        case (.gone, .available): state = .present
        // The source reports its return; the record waits for a position.
        case (.reportedGone, _), (.present, .available), (.gone, _): break
        }
    }

    /// Returns the time to record the absence; nil where there is none, or it was recorded.
    func due(delaySeconds: Double) -> Timestamp? {
        guard case .gone(let since) = state else { return nil }
        return since.advanced(bySeconds: delaySeconds)
    }

    /// Notes that the absence was recorded.
    mutating func markReported() {
        state = .reportedGone
    }

    /// Ends the absence.
    /// - Returns: whether the absence was recorded.
    mutating func handleFix() -> Bool {
        defer { state = .present }
        return state == .reportedGone
    }

    mutating func handleRestart() {
        if case .gone = state { state = .present }
    }
}
