import ArgumentParser
import Logging
import Odograph
import ServiceLifecycle
import UnixSignals

/// `odograph run`: the agent itself.
struct Run: Subcommand {
    static let configuration = CommandConfiguration(
        abstract: "Run the agent until it is told to stop.",
        discussion: "Stops on SIGTERM and SIGINT: what waits is committed, and the broker is told.")

    @OptionGroup var file: ConfigurationOption

    func perform() async throws {
        let configuration = try file.load()
        let logger = AgentLog.begin(level: configuration.logLevel)
        let pages = Task { await CodePages().keepGivingBack() }
        defer { pages.cancel() }
        try await AgentLog.serve(Agent(configuration: configuration, logger: logger), logger: logger)
    }
}

/// What the commands that run an agent share.
enum AgentLog {
    /// Sends all logs to the standard error.
    /// - Parameter isBelowProgress: whether a line of progress may stand where the next line is to go.
    static func begin(level: Logger.Level, isBelowProgress: Bool = false) -> Logger {
        LoggingSystem.bootstrap { _ in AgentLogHandler(level: level, isBelowProgress: isBelowProgress) }
        return Logger(label: "odograph")
    }

    /// Runs an agent until it ends or a signal stops it.
    static func serve(_ agent: Agent, logger: Logger) async throws {
        var quiet = logger
        // What the service group tells of itself is of no interest to whoever runs an agent.
        quiet.logLevel = .warning
        let service = ServiceGroupConfiguration.ServiceConfiguration(
            service: agent, successTerminationBehavior: .gracefullyShutdownGroup)
        var configuration = ServiceGroupConfiguration(services: [service], logger: quiet)
        configuration.gracefulShutdownSignals = [.sigterm, .sigint]
        try await ServiceGroup(configuration: configuration).run()
    }
}
