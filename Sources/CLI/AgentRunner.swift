import Logging
import Odograph
import OdographOperator
import ServiceLifecycle
import OdographThreads
import UnixSignals

/// Shared functions of the commands that run an agent.
enum AgentRunner {
    /// The common log level. It may change while the agent runs.
    static let logLevel = Lock(Logger.Level.info)

    /// Sends all logs to the standard error.
    /// - Parameter clearsProgressLine: whether each message first clears a progress line.
    static func bootstrapLogging(level: Logger.Level, clearsProgressLine: Bool = false) -> Logger {
        self.logLevel.withLock { $0 = level }
        LoggingSystem.bootstrap { _ in AgentLogHandler(clearsProgressLine: clearsProgressLine) }
        return Logger(label: "odograph")
    }

    /// Runs an agent until it ends or a signal stops it.
    static func run(_ agent: some Service, logger: Logger) async throws {
        var quiet = logger
        // The service group logs its own state changes, which do not interest the user.
        quiet.logLevel = .warning
        let service = ServiceGroupConfiguration.ServiceConfiguration(
            service: agent, successTerminationBehavior: .gracefullyShutdownGroup)
        var configuration = ServiceGroupConfiguration(services: [service], logger: quiet)
        configuration.gracefulShutdownSignals = [.sigterm, .sigint]
        try await ServiceGroup(configuration: configuration).run()
    }
}
