import UnixSignals

/// Ends work in order on Ctrl-C or when the service manager stops the program.
enum Interrupt {
    /// Runs work in a task that SIGINT and SIGTERM cancel.
    static func cancelling<Result: Sendable>(_ work: @escaping @Sendable () async -> Result) async -> Result {
        let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm)
        let task = Task { await work() }
        let listener = Task { for await _ in signals { task.cancel() } }
        defer { listener.cancel() }
        return await task.value
    }
}
