import OdographCivilTime
import OdographModel

/// Detects when the position source has been unavailable for long enough to record it, and when it is back.
struct ProviderMonitor: Equatable, Sendable, Codable {
    enum State: Equatable, Codable {
        case present
        case gone(since: Timestamp)
        case reportedGone
    }

    private var state = State.present

    /// Whether the source has positions, as far as it has said.
    var isPresent: Bool { state == .present }

    mutating func updateSource(to new: SourceState, at time: Timestamp) {
        switch (state, new) {
        case (.present, .noFix), (.present, .lost): state = .gone(since: time)
        case (.gone, .available): state = .present
        // If the gap was recorded, only a fix ends it, not the report of the source.
        case (.reportedGone, _), (.present, .available), (.gone, _): break
        }
    }

    /// Returns the time at which the gap must be recorded; nil if there is none or it was recorded.
    func due(delaySeconds: Double) -> Timestamp? {
        guard case .gone(let since) = state else { return nil }
        return since.advanced(bySeconds: delaySeconds)
    }

    /// Notes that the gap was recorded.
    mutating func markReported() {
        state = .reportedGone
    }

    /// Takes a fix.
    /// - Returns: whether it ends a recorded gap.
    mutating func handleFix() -> Bool {
        defer { state = .present }
        return state == .reportedGone
    }

    mutating func handleRestart() {
        if case .gone = state { state = .present }
    }
}
