/// A call that is planned for a moment. One for an earlier moment replaces it.
struct PlannedTurn {
    private var planned: (time: ContinuousClock.Instant, task: Task<Void, Never>)?

    /// Plans a call, unless one for an earlier moment is planned.
    /// - Parameters:
    ///   - time: The moment.
    ///   - call: The call, which must first call ``begin()``.
    mutating func plan(at time: ContinuousClock.Instant, _ call: @escaping @Sendable () async -> Void) {
        if let planned {
            guard time < planned.time else { return }
            planned.task.cancel()
        }
        let task = Task {
            // A sleep costs a timer also if it is over at once.
            if time > .now { try? await Task.sleep(until: time, clock: .continuous) }
            if !Task.isCancelled { await call() }
        }
        planned = (time, task)
    }

    /// Notes that the planned call has begun.
    mutating func begin() { planned = nil }

    /// Cancels the planned call.
    mutating func cancel() {
        planned?.task.cancel()
        planned = nil
    }
}
