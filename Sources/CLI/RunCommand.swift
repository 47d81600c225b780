import ArgumentParser
import Logging
import Odograph
import Threads
import UnixSignals

/// `odograph run`: runs the agent.
struct RunCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Run the agent until it is told to stop.",
        discussion: """
            Stops on SIGTERM and SIGINT: what waits is committed, and the broker is told. On SIGHUP the configuration \
            is read again, where no terminal is watching: tracking and log are put into force, the log says what \
            waits for a new start, and a file with a mistake changes nothing. A service manager is told what becomes \
            of it, and its watchdog is fed for as long as positions make their way.
            """)

    @OptionGroup var file: ConfigurationOption

    func perform() async throws {
        // Handled first, because a service manager may send the signal at any time.
        let reloads = await Self.reloadSignals()
        let files = FilePageReclaimer()
        let configuration = try file.load()
        let logger = AgentRunner.bootstrapLogging(level: configuration.logLevel)
        let pages = Task { await files.reclaimPeriodically() }
        defer { pages.cancel() }
        let supervisor = Supervisor(
            agent: Agent(configuration: configuration, logger: logger), path: file.path, notifier: SystemdNotifier(),
            reloads: reloads, setLogLevel: { level in AgentRunner.logLevel.withLock { $0 = level } }, logger: logger)
        try await AgentRunner.run(supervisor, logger: logger)
    }

    /// Returns a stream of reload signals (SIGHUP); empty on a terminal, whose closing also causes SIGHUP.
    private static func reloadSignals() async -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        guard !Console.isErrorTerminal else { return stream }
        let signals = await UnixSignalsSequence(trapping: .sighup)
        Task {
            for await _ in signals { continuation.yield() }
        }
        return stream
    }
}
