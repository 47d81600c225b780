import Logging
import OdographCivilTime
import OdographThreads

/// Writes the metrics of a recorder at an interval.
package actor MetricsService {
    private let settings: MetricsSettings
    private let database: DatabaseLocation
    private let counters: RecorderCounters
    private let logger: Logger
    /// The reported error; nil if the last file was written.
    private var failure: MetricsFileError?
    /// A thread of its own, because a query waits for the disk.
    private let executor: ThreadExecutor

    /// The executor of the actor.
    nonisolated package var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// - Parameters:
    ///   - settings: The file and the interval.
    ///   - database: The database of the recorder, which is only read.
    ///   - counters: The counters of the recorder.
    ///   - logger: Logs the beginning and the end of an error.
    /// - Throws: `ThreadLimitError` if the system starts no thread.
    package init(
        _ settings: MetricsSettings, database: DatabaseLocation, counters: RecorderCounters, logger: Logger
    ) throws(ThreadLimitError) {
        executor = try ThreadExecutor()
        (self.settings, self.database, self.counters, self.logger) = (settings, database, counters, logger)
    }

    /// Writes the metrics until the task is cancelled.
    package func run() async {
        while !Task.isCancelled {
            write()
            try? await Task.sleep(for: .seconds(settings.seconds))
        }
    }

    /// Writes the metrics.
    package func write() {
        let values = counters.current()
        // Another recorder's metrics contain what is in a shared database.
        let status = values.isActive ? try? RecorderStatus(of: database) : nil
        let text = RecorderMetrics(counters: values, status: status, date: .now).text
        do throws(MetricsFileError) {
            try MetricsFile(path: settings.path).write(text)
            if failure != nil { logger.notice("\(settings.path): the metrics can be written again") }
            failure = nil
        } catch {
            if error != failure { logger.error("\(error)") }
            failure = error
        }
    }
}
