extension Actor {
    /// Waits until a condition is true, but at most the given time, and not after the task is cancelled.
    /// - Returns: Whether the condition is true.
    package func wait(atMost seconds: Double, until isSo: @Sendable (isolated Self) -> Bool) async -> Bool {
        let end = ContinuousClock.now + .seconds(seconds)
        while !isSo(self) {
            guard ContinuousClock.now < end, !Task.isCancelled else { return false }
            try? await Task.sleep(for: .milliseconds(20))
        }
        return true
    }
}
