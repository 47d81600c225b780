import CivilTime

/// Watches the source of positions: says when it is gone for long enough to be worth a record, and when it is back.
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
        // Back at the source's word; the record waits for a position.
        case (.reportedGone, _), (.present, .available), (.gone, _): break
        }
    }

    /// When the absence is worth a record; nil where there is none, or it has been recorded.
    func due(delaySeconds: Double) -> Timestamp? {
        guard case .gone(let since) = state else { return nil }
        return since.advanced(bySeconds: delaySeconds)
    }

    /// The absence was recorded.
    mutating func markReported() {
        state = .reportedGone
    }

    /// - Returns: whether this fix ends a recorded absence.
    mutating func handleFix(at time: Timestamp) -> Bool {
        defer { state = .present }
        return state == .reportedGone
    }

    mutating func handleRestart() {
        if case .gone = state { state = .present }
    }
}
