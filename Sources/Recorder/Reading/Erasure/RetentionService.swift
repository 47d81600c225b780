import Logging
import OdographCivilTime
import OdographTerminal
import OdographThreads

/// Removes records that are older than the retention time, while the recorder runs.
package actor RetentionService {
    private let database: DatabaseLocation
    private let days: Int
    private let logger: Logger
    private let intervalSeconds: Double
    /// A thread of its own, because a transaction waits for the disk.
    private let executor: ThreadExecutor

    /// The executor of the actor.
    nonisolated package var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// - Parameters:
    ///   - database: The place of the database.
    ///   - days: The age above which records are removed, days.
    ///   - logger: Logs how many records were removed, and errors.
    ///   - intervalSeconds: The time between two searches, seconds.
    /// - Throws: `ThreadLimitError` if the system starts no thread.
    package init(
        _ database: DatabaseLocation, days: Int, logger: Logger, intervalSeconds: Double = 3600
    ) throws(ThreadLimitError) {
        executor = try ThreadExecutor()
        self.database = database
        self.days = days
        self.logger = logger
        self.intervalSeconds = intervalSeconds
    }

    /// Removes old records until the task is cancelled. An error ends only the search of that hour.
    package func run() async {
        while !Task.isCancelled {
            // Waits first: at the first start there is no database yet.
            try? await Task.sleep(for: .seconds(min(intervalSeconds, 60)))
            await removeOld(before: Timestamp.now.advanced(bySeconds: Double(-days) * 86_400))
            try? await Task.sleep(for: .seconds(max(intervalSeconds - 60, 0)))
        }
    }

    /// Drops the partitions before a time. While a backup reads the tables none is dropped: until a later search,
    /// single records are removed.
    /// - Returns: The number of removed records.
    private static func dropPartitions(
        _ remover: OldRecordRemover, before time: Timestamp
    ) throws(DatabaseFailure) -> Int {
        do throws(DatabaseFailure) {
            return try remover.dropPartitions(before: time)
        } catch {
            guard case .locked = error else { throw error }
            return 0
        }
    }

    /// Removes the records before a time.
    func removeOld(before time: Timestamp) async {
        var count = 0
        do {
            let remover = try OldRecordRemover(database)
            count += try Self.dropPartitions(remover, before: time)
            for vehicle in try remover.vehicles() {
                while !Task.isCancelled {
                    let removed = try remover.removeRecords(of: vehicle, before: time)
                    count += removed
                    guard removed == OldRecordRemover.batchSize else { break }
                    // The recorder writes between two transactions.
                    try await Task.sleep(for: .milliseconds(20))
                }
                guard !Task.isCancelled else { return }
                try remover.removeReferences(of: vehicle, before: time)
            }
            try remover.removeUnstored(before: time)
        } catch {
            guard !(error is CancellationError) else { return }
            logger.error("old records cannot be removed; the next attempt follows: \(error)")
        }
        if count > 0 { logger.notice("removed \(Format.grouped(count)) records before \(time.iso8601)") }
    }
}
