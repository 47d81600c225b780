import Logging
import Positioning
import ServiceLifecycle

/// Runs an agent as a service: tells the service manager that it is ready, feeds its watchdog for as long as positions
/// make their way, and reads the configuration anew when it is asked to.
public struct Supervisor: Service {
    /// Three readings fit into the watchdog's time, so that one that comes late ends nothing.
    private static let readingsPerWatchdogInterval = 3.0

    private let agent: Agent
    private let path: String
    private let notifier: SystemdNotifier?
    private let reloads: AsyncStream<Void>
    private let setLogLevel: @Sendable (Logger.Level) -> Void
    private let logger: Logger

    /// - Parameters:
    ///   - agent: one that was not started.
    ///   - path: the configuration file that it was made with.
    ///   - manager: who is told; nil for nobody.
    ///   - reloads: an element for each time that the configuration is to be read anew.
    ///   - setLogLevel: how much is to be logged from now on.
    ///   - logger: where it logs to.
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

    /// Until the service is shut down or its task cancelled.
    /// - Throws: what ``Agent/start()`` throws.
    public func run() async throws {
        try await agent.start()
        notifier?.notify(.ready, .status(await agent.statusLine))
        await cancelWhenGracefulShutdown {
            await withDiscardingTaskGroup { group in
                group.addTask { await feedWatchdog() }
                group.addTask {
                    for await _ in reloads { await reload() }
                }
                // The group waits for its tasks, and those for the cancellation.
                group.addTask { await Task.waitUntilCancelled() }
            }
        }
        notifier?.notify(.stopping, .status("stopping"))
        await agent.stop()
    }

    // MARK: Watchdog

    private func feedWatchdog() async {
        guard let notifier, let watchdogSeconds = notifier.watchdogSeconds else { return }
        let beatSeconds = watchdogSeconds / Self.readingsPerWatchdogInterval
        var detector = PipelineStallDetector(
            silenceSeconds: await agent.sourceSilenceSeconds, intervalSeconds: beatSeconds)
        var lastStalls: [PipelineStallDetector.Stage] = []
        var lastStatusLine = ""
        while !Task.isCancelled {
            // A part that stands still may never answer; then nothing is fed, as it should be.
            if let reading = await agent.pipelineReading() {
                let stuck = detector.detectStalls(in: reading)
                if stuck != lastStalls { logStalls(stuck) }
                lastStalls = stuck
                if stuck.isEmpty { notifier.notify(.watchdog) }
                let line = await agent.statusLine
                if line != lastStatusLine { notifier.notify(.status(line)) }
                lastStatusLine = line
            }
            try? await Task.sleep(for: .seconds(beatSeconds))
        }
    }

    private func logStalls(_ stuck: [PipelineStallDetector.Stage]) {
        if stuck.isEmpty {
            logger.notice("positions make their way again")
        } else {
            let names = stuck.map(\.rawValue).joined(separator: ", ")
            logger.error("positions no longer make their way (\(names)); the watchdog is not fed until they do")
        }
    }

    // MARK: Reload

    private func reload() async {
        notifier?.notify(.reloading, .status("reading \(path)"))
        do throws(ConfigurationError) {
            let outcome = await agent.reload(try ConfigurationFile.load(path))
            if outcome.applied.contains("log") { setLogLevel(outcome.logLevel) }
            logger.notice("configuration read again: \(outcome.summary)")
        } catch {
            for issue in error.issues { logger.error("\(error.origin): \(issue)") }
            logger.error("the configuration was not taken; the one before it stays in force")
        }
        notifier?.notify(.ready, .status(await agent.statusLine))
    }
}
