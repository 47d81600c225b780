import Logging
import Odograph
import OdographOperator
import ServiceLifecycle
import Threads
import UnixSignals

/// What the commands that run an agent share.
enum AgentRunner {
    /// How much is logged; may change while the agent runs.
    static let logLevel = Lock(Logger.Level.info)

    /// Sends all logs to the standard error.
    /// - Parameter isBelowProgress: whether a line of progress may stand where the next line is to go.
    static func bootstrapLogging(level: Logger.Level, clearsProgressLine: Bool = false) -> Logger {
        self.logLevel.withLock { $0 = level }
        LoggingSystem.bootstrap { _ in AgentLogHandler(clearsProgressLine: clearsProgressLine) }
        return Logger(label: "odograph")
    }

    /// Runs an agent until it ends or a signal stops it.
    static func run(_ agent: some Service, logger: Logger) async throws {
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
