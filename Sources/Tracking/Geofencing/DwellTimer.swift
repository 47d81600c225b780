import OdographCivilTime
import OdographModel

/// The time at which a visit becomes a dwell.
struct DwellTimer: Equatable, Sendable, Codable {
    /// Nil where the rule asks for no dwell, or its event was emitted.
    private(set) var due: Timestamp?

    init(due: Timestamp?) { self.due = due }

    init(_ rule: GeofenceRule, enteredAt: Timestamp) {
        due = rule.notifiesOnDwell ? rule.dwellTime(enteredAt: enteredAt) : nil
    }

    /// Continues under another rule.
    mutating func apply(_ rule: GeofenceRule, enteredAt: Timestamp, at now: Timestamp) {
        let new = rule.dwellTime(enteredAt: enteredAt)
        due = rule.notifiesOnDwell && (due != nil || new > now) ? new : nil
    }

    /// Stops the timer.
    /// - Returns: when it was due; nil where it did not run.
    mutating func take() -> Timestamp? {
        defer { due = nil }
        return due
    }
}

extension GeofenceRule {
    fileprivate func dwellTime(enteredAt: Timestamp) -> Timestamp {
        enteredAt.advanced(bySeconds: loiteringDelaySeconds)
    }
}
