import OdographPositioning

/// The timer of an actor for the next time at which one of its decisions is due.
struct DueTimer {
    private var current: (task: Task<Void, Never>, dueUptimeMilliseconds: Int64)?

    /// Whether there is a time that ``takeExpired()`` has not taken.
    var isSet: Bool { current != nil }

    /// Sets the time, and replaces the former one.
    /// - Parameters:
    ///   - due: The time, on the monotonic clock; nil for none.
    ///   - handle: Called at this time. It must first ask ``takeExpired()``.
    mutating func set(_ due: Int64?, clock: any AgentClock, _ handle: @escaping @Sendable () async -> Void) {
        guard due != current?.dueUptimeMilliseconds else { return }
        current?.task.cancel()
        current = due.map { due in
            let task = Task {
                do { try await clock.sleep(untilUptimeMilliseconds: due) } catch { return }
                await handle()
            }
            return (task, due)
        }
    }

    /// Returns whether the timer that calls this is the present one, which has then ended. A newer one may have
    /// replaced it before it ran.
    mutating func takeExpired() -> Bool {
        guard !Task.isCancelled else { return false }
        current = nil
        return true
    }

    /// Ends the timer.
    mutating func cancel() {
        current?.task.cancel()
        current = nil
    }
}
