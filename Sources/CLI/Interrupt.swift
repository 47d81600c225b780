import UnixSignals

/// Lets a piece of work end in order when somebody presses Ctrl-C, or the service manager wants an end.
enum Interrupt {
    /// Does some work, whose task is cancelled by SIGINT and SIGTERM.
    static func cancelling<Result: Sendable>(_ work: @escaping @Sendable () async -> Result) async -> Result {
        let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm)
        let task = Task { await work() }
        let listener = Task { for await _ in signals { task.cancel() } }
        defer { listener.cancel() }
        return await task.value
    }
}
