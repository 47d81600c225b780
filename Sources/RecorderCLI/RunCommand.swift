import ArgumentParser
import Logging
import OdographConsole
import OdographRecorder
import OdographSettings
import OdographTerminal
import OdographThreads
import UnixSignals

/// `odograph-recorder run`: records until a signal.
struct RunCommand: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Record until a signal stops the program.",
        discussion: """
            Subscribes to all vehicles of the configured fleets, and stores each record once. On SIGTERM or SIGINT the \
            recorder disconnects, commits and ends with exit code 0. The broker keeps what follows until the next \
            start. Vehicles that keep their records until a receipt get receipts of what is stored. While the \
            database cannot be written, the recorder is disconnected from the broker, and tries again. With \
            history.answer it answers requests about the past over the broker.
            """)

    @Option(
        name: .shortAndLong, help: ArgumentHelp("The recorder's configuration file.", valueName: "file"),
        completion: .file())
    var config: String

    @Option(
        help: ArgumentHelp(
            """
            Write metrics into this file, for node_exporter's textfile collector. It overrides metrics.file of the \
            configuration.
            """,
            valueName: "file"),
        completion: .file())
    var metricsFile: String?

    func run() async throws {
        // Handled first, because a service manager may send the signal at any time.
        let signals = await UnixSignalsSequence(trapping: .sigterm, .sigint)
        var configuration = try RecorderConfiguration.load(config)
        if let metricsFile { configuration.setMetricsFile(metricsFile) }
        let (complete, recording) = (configuration, configuration.recording)
        try BrokerCredentials.checkPaths(of: recording.broker)
        let password = try BrokerCredentials.password(for: recording.broker)
        let database = recording.database
        let logger = ConsoleLogHandler.bootstrap(level: .info)
        let supervisor = RecorderSupervisor(notifier: SystemdNotifier())
        let (states, state) = AsyncStream.makeStream(of: Bool.self)
        let hooks = FleetRecorder.Hooks {
            supervisor.begin()
            state.yield(true)
        } interrupt: {
            state.yield(false)
        } wait: {
            supervisor.wait(for: $0)
        }
        let recorder = try FleetRecorder(
            recording, link: recording.linkConfiguration(password: password), hooks: hooks, logger: logger
        ) { () throws(DatabaseFailure) in try OpenDatabase(complete) }
        var historyLogger = logger
        historyLogger[metadataKey: "session"] = "history"
        let history = try HistoryService(
            recording, configuration.history, link: recording.historyLinkConfiguration(password: password),
            logger: historyLogger
        ) { () throws(DatabaseFailure) in try HistoryDatabase(database) }
        // Only while this recorder records: one that waits must not answer beside the one that has the database.
        let answers = Task {
            var running: Task<Void, Never>?
            for await isRecording in states {
                await history.setSuspended(!isRecording)
                if isRecording, running == nil { running = Task { await history.run() } }
            }
            await running?.value
        }
        let watchdog = Task { await supervisor.feedWatchdog(of: recorder) }
        defer { watchdog.cancel() }
        let stopping = Task {
            for await _ in signals { await recorder.stop() }
        }
        defer { stopping.cancel() }
        let retention = try configuration.retentionDays.map { days throws(ThreadLimitError) in
            try RetentionService(database, days: days, logger: logger)
        }
        let removal = Task { await retention?.run() }
        defer { removal.cancel() }
        let services = try RecorderServices(recorder, configuration, logger: logger)
        let serving = Task { await services.run() }
        let result = await Task { try await recorder.run() }.result
        serving.cancel()
        await services.finish()
        do {
            try result.get()
        } catch let error as DatabaseFailure {
            throw ExitError(error)
        }
        supervisor.stop()
        state.finish()
        await history.stop()
        await answers.value
    }
}
