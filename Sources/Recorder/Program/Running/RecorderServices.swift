import Logging
import OdographThreads

/// The services beside a recorder: metrics, rules, notifications, and the relay.
package struct RecorderServices: Sendable {
    /// The times of the services.
    package struct Times: Sendable {
        /// Those of the rules.
        package var rules = RuleTicker.Times()
        /// Those of the notifications.
        package var notifications = NotificationSender.Times()
        /// Those of the relay.
        package var relay = TraccarRelay.Times()

        /// Creates the usual times.
        package init() {}
    }

    private let metrics: MetricsService?
    private let ticker: RuleTicker?
    private let sender: NotificationSender?
    private let relay: TraccarRelay?

    /// - Parameters:
    ///   - recorder: The recorder.
    ///   - configuration: Its configuration.
    ///   - times: The times of the services.
    ///   - logger: Logs the errors of the services.
    /// - Throws: `ThreadLimitError` if the system starts no thread.
    package init(
        _ recorder: FleetRecorder, _ configuration: RecorderConfiguration, times: Times = Times(), logger: Logger
    ) throws(ThreadLimitError) {
        let (rules, database) = (configuration.rules, configuration.recording.database)
        metrics = try configuration.metrics.map { settings throws(ThreadLimitError) in
            try MetricsService(settings, database: database, counters: recorder.counters, logger: logger)
        }
        // The metrics contain the number of silent vehicles, also without a rule.
        ticker =
            rules.isEmpty && configuration.metrics == nil
            ? nil : try RuleTicker(recorder, database: database, rules: rules, times: times.rules, logger: logger)
        sender =
            rules.isEmpty
            ? nil : try NotificationSender(recorder, rules: rules, times: times.notifications, logger: logger)
        relay = try configuration.relay.map { settings throws(ThreadLimitError) in
            try TraccarRelay(recorder, settings: settings, times: times.relay, logger: logger)
        }
    }

    /// Runs the services until the task is cancelled.
    package func run() async {
        await withTaskGroup(of: Void.self) { group in
            if let metrics { group.addTask { await metrics.run() } }
            if let ticker { group.addTask { await ticker.run() } }
            if let sender { group.addTask { await sender.run() } }
            if let relay { group.addTask { await relay.run() } }
        }
    }

    /// Ends the running commands of rules, and writes the last metrics, after the recorder has ended: it is not active
    /// any more.
    package func finish() async {
        await sender?.stop()
        await metrics?.write()
    }
}
