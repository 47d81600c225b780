import Logging
import Odograph
import ServiceLifecycle
import UnixSignals

/// Shared functions of the commands that run an agent.
enum AgentRunner {
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
