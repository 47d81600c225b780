extension Task where Success == Never, Failure == Never {
    /// Returns when the task is cancelled.
    package static func waitUntilCancelled() async {
        for await _ in AsyncStream<Void>.makeStream().stream {}
    }

    /// What an operation comes to that is cancelled after some seconds: what it comes to then counts as well.
    package static func withTimeout<Value: Sendable>(
        afterSeconds seconds: Double, _ operation: @escaping @Sendable () async -> Value?
    ) async -> Value? {
        await withTaskGroup(of: Value?.self) { group in
            group.addTask { await operation() }
            group.addTask {
                try? await Task.sleep(for: .seconds(seconds))
                return nil
            }
            var value: Value?
            for await result in group {
                value = result ?? value
                group.cancelAll()
            }
            return value
        }
    }
}
