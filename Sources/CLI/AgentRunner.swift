import UnixSignals

/// Shared functions of the commands that run an agent.
enum AgentRunner {
    /// Runs an agent until it ends or a signal stops it.
    /// - Parameter agent: Runs the agent until the operation that it gets returns.
    static func run(
        _ agent: (_ end: @escaping @Sendable () async -> Void) async throws -> Void
    ) async throws {
        let signals = await UnixSignalsSequence(trapping: .sigterm, .sigint)
        try await agent { for await _ in signals { return } }
    }
}
