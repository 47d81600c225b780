import ArgumentParser
import Logging
import Odograph
import OdographConsole
import OdographOperator
import OdographThreads
import UnixSignals

/// `odograph run`: runs the agent.
struct RunCommand: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Run the agent until a signal stops it.",
        discussion: """
            On SIGTERM or SIGINT the agent commits pending records, publishes its offline status and stops. On SIGHUP \
            it reads the configuration again, unless the standard error is a terminal. Changes of tracking, privacy \
            and log take effect at once; the log lists the changes that need a restart. A configuration with an error \
            changes nothing. The agent reports its state to systemd. It feeds the watchdog while source, database and \
            broker session respond. A missing broker, gpsd or disk does not trigger a restart. If records in memory \
            cannot be stored at the end, the exit code is 74.
            """)

    @OptionGroup var file: ConfigurationOption

    func run() async throws {
        // Handled first, because a service manager may send the signal at any time.
        let reloads = await Self.reloadSignals()
        let files = FilePageReclaimer()
        let configuration = try file.load()
        let logger = ConsoleLogHandler.bootstrap(level: configuration.logLevel)
        let pages = Task { await files.reclaimPeriodically() }
        defer { pages.cancel() }
        let agent = Agent(configuration: configuration, logger: logger)
        let supervisor = Supervisor(
            agent: agent, path: file.path, notifier: SystemdNotifier(), reloads: reloads,
            setLogLevel: { level in ConsoleLogHandler.commonLevel.withLock { $0 = level } }, logger: logger)
        try await AgentRunner.run { try await supervisor.run(until: $0) }
        // The log has the reason.
        if await agent.loss != nil { throw ExitCode(ExitError.Code.inputOutput.rawValue) }
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
