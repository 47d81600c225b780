/// Decides when ``InputPipeline`` wakes up. Times are on the monotonic clock,
/// milliseconds.
struct WakeUpPlan {
    /// The time of the next wake-up. nil if none is necessary.
    private(set) var due: Int64?
    /// The time of the next tick or commit attempt. nil if neither is due.
    private var tickDue: Int64?

    /// Adds due times. Earlier ones of earlier calls remain in force.
    /// - Parameters:
    ///   - tickDue: The time of a tick or a commit attempt.
    ///   - checkDue: The time of the next check of the store's file, which needs no tick.
    mutating func add(tickDue: Int64?, checkDue: Int64?) {
        self.tickDue = [self.tickDue, tickDue].compactMap { $0 }.min()
        due = [due, self.tickDue, checkDue].compactMap { $0 }.min()
    }

    /// Ends the wait: the pipeline has woken up.
    mutating func endWait() {
        due = nil
    }

    /// Returns whether a tick or a commit attempt is due, once.
    mutating func takeTick(uptimeMilliseconds: Int64) -> Bool {
        guard let tickDue, tickDue <= uptimeMilliseconds else { return false }
        self.tickDue = nil
        return true
    }
}
