import Logging
import OdographPositioning
import OdographSettings
import OdographThreads

/// Runs an agent for a service manager: notifies the manager, feeds its watchdog while no stage is stalled, and reloads
/// the configuration on request.
public struct Supervisor: Sendable {
    private let agent: Agent
    private let path: String
    private let notifier: SystemdNotifier?
    private let reloads: AsyncStream<Void>
    private let setLogLevel: @Sendable (Logger.Level) -> Void
    private let logger: Logger

    /// Creates a supervisor.
    /// - Parameters:
    ///   - agent: An agent that was not started.
    ///   - path: The path of its configuration file.
    ///   - notifier: The connection to the service manager. nil if there is none.
    ///   - reloads: One element for each request to reload the configuration.
    ///   - setLogLevel: Sets the log level.
    ///   - logger: The destination of log messages.
    public init(
        agent: Agent, path: String, notifier: SystemdNotifier?, reloads: AsyncStream<Void>,
        setLogLevel: @escaping @Sendable (Logger.Level) -> Void, logger: Logger
    ) {
        self.agent = agent
        self.path = path
        self.notifier = notifier
        self.reloads = reloads
        self.setLogLevel = setLogLevel
        self.logger = logger
    }

    /// Runs the agent until an operation returns or the task is cancelled.
    /// - Parameter end: Returns when the agent must stop, or when its task is cancelled.
    /// - Throws: The errors of ``Agent/start()``.
    public func run(until end: @escaping @Sendable () async -> Void) async throws {
        try await agent.start()
        notifier?.notify(.ready, .status(await agent.statusLine))
        await Task.run(until: end) {
            await withDiscardingTaskGroup { group in
                group.addTask { await feedWatchdog() }
                group.addTask { await tellState() }
                group.addTask {
                    for await _ in reloads { await reload() }
                }
                // The group waits for its tasks, and they wait for the cancellation.
                group.addTask { await Task.waitUntilCancelled() }
            }
        }
        notifier?.notify(.stopping, .status("stopping"))
        await agent.stop()
    }

    // MARK: Watchdog

    private func feedWatchdog() async {
        guard let notifier, let beatSeconds = notifier.watchdogBeatSeconds else { return }
        var detector = PipelineStallDetector(
            silenceSeconds: await agent.sourceSilenceSeconds, intervalSeconds: beatSeconds)
        var lastStalls: [PipelineStallDetector.Stage] = []
        while !Task.isCancelled {
            // A stalled actor may never answer. Then the watchdog gets nothing, as intended.
            if let reading = await agent.pipelineReading() {
                let stuck = detector.detectStalls(in: reading)
                if stuck != lastStalls { logStalls(stuck) }
                lastStalls = stuck
                if stuck.isEmpty { notifier.notify(.watchdog) }
            }
            try? await Task.sleep(for: .seconds(beatSeconds))
        }
    }

    /// Tells the service manager each change of the connection and of the problems.
    private func tellState() async {
        guard let notifier else { return }
        var lastLine = ""
        for await _ in agent.stateChanges.stream {
            let line = await agent.statusLine
            if line != lastLine { notifier.notify(.status(line)) }
            lastLine = line
        }
    }

    private func logStalls(_ stuck: [PipelineStallDetector.Stage]) {
        if stuck.isEmpty {
            logger.notice("the position pipeline works again")
        } else {
            let names = stuck.map(\.rawValue).joined(separator: ", ")
            logger.error("the position pipeline has stalled (\(names)); the watchdog is not fed until it works again")
        }
    }

    // MARK: Reload

    private func reload() async {
        notifier?.notify(.reloading, .status("reading \(path)"))
        do throws(ConfigurationError) {
            let outcome = await agent.reload(try ConfigurationFile.load(path))
            if outcome.applied.contains("log") { setLogLevel(outcome.logLevel) }
            logger.notice("configuration reloaded: \(outcome.summary)")
        } catch {
            for issue in error.issues { logger.error("\(error.origin): \(issue)") }
            logger.error("the configuration was rejected; the previous one stays in force")
        }
        notifier?.notify(.ready, .status(await agent.statusLine))
    }
}
