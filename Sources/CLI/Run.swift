import ArgumentParser
import Logging
import Odograph
import ServiceLifecycle
import UnixSignals

/// `odograph run`: the agent itself.
struct Run: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Run the agent until it is told to stop.",
        discussion: "Stops on SIGTERM and SIGINT: what waits is committed, and the broker is told.")

    @OptionGroup var file: ConfigurationOption

    func run() async throws {
        let configuration = try file.load()
        LoggingSystem.bootstrap { label in
            var handler = StreamLogHandler.standardError(label: label)
            handler.logLevel = configuration.logLevel
            return handler
        }
        let logger = Logger(label: "odograph")
        let agent = Agent(configuration: configuration, logger: logger)
        try await ServiceGroup(
            services: [agent], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger
        ).run()
    }
}
