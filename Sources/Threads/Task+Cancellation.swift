extension Task where Success == Never, Failure == Never {
    /// Returns when the task is cancelled.
    package static func waitUntilCancelled() async {
        for await _ in AsyncStream<Void>.makeStream().stream {}
    }

    /// Runs an operation, and cancels it when another one returns. Returns when both have returned.
    /// - Parameter end: Returns when the operation must end, or when its task is cancelled.
    package static func run(
        until end: @escaping @Sendable () async -> Void, _ operation: @escaping @Sendable () async -> Void
    ) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await end() }
            group.addTask { await operation() }
            await group.next()
            group.cancelAll()
        }
    }

    /// Runs an operation, and cancels it after a timeout. Returns its result, also one that it returns after the
    /// cancellation.
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
