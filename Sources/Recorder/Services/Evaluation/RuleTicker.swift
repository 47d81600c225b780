import Logging
import OdographThreads

/// Makes a recorder look for silent vehicles and for gaps that do not fill, at intervals.
package actor RuleTicker {
    /// The intervals.
    package struct Times: Sendable {
        /// The time between two looks for silent vehicles, seconds.
        package var silenceSeconds = 5.0
        /// The time between two looks for gaps, seconds.
        package var gapSeconds = 60.0

        /// Creates the usual intervals.
        package init() {}
    }

    private let recorder: FleetRecorder
    private let database: DatabaseLocation
    private let watchesGaps: Bool
    private let times: Times
    private let logger: Logger
    /// Whether the log says that the gaps cannot be read.
    private var hasReported = false
    /// A thread of its own, because a query waits for the disk.
    private let executor: ThreadExecutor

    /// The executor of the actor.
    nonisolated package var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// - Parameters:
    ///   - recorder: The recorder.
    ///   - database: Its database. The gaps are read by a connection of their own, so that nothing waits for this
    ///     query.
    ///   - rules: The rules.
    ///   - times: The intervals.
    ///   - logger: Logs an error of the query.
    /// - Throws: `ThreadLimitError` if the system starts no thread.
    package init(
        _ recorder: FleetRecorder, database: DatabaseLocation, rules: [Rule], times: Times = Times(), logger: Logger
    ) throws(ThreadLimitError) {
        executor = try ThreadExecutor()
        (self.recorder, self.database, self.times, self.logger) = (recorder, database, times, logger)
        watchesGaps = rules.contains { $0.condition.kind == .gap }
    }

    /// Looks until the task is cancelled.
    package func run() async {
        var nextGaps = ContinuousClock.now
        while !Task.isCancelled {
            var gaps: [OpenGap]?
            if watchesGaps, ContinuousClock.now >= nextGaps, await recorder.isActive {
                gaps = openGaps()
                nextGaps = .now + .seconds(times.gapSeconds)
            }
            // The recorder opens the database again after an error, and reports it when it cannot store a batch.
            try? await tick(gaps: gaps)
            try? await Task.sleep(for: .seconds(times.silenceSeconds))
        }
    }

    /// Looks for silent vehicles and, if they are given, for gaps that do not fill.
    private func tick(gaps: [OpenGap]?) async throws(DatabaseFailure) {
        let connectedSince = await recorder.connectedSince
        let silent = try await recorder.withDatabase { database throws(DatabaseFailure) in
            try database.watch.tick(connectedSince: connectedSince, gaps: gaps)
            return database.watch.silentCount(connectedSince: connectedSince)
        }
        recorder.counters.setSilent(silent ?? 0)
    }

    /// Returns the open gaps; nil if they cannot be read.
    private func openGaps() -> [OpenGap]? {
        do throws(DatabaseFailure) {
            let gaps = try OpenGap.read(from: database)
            hasReported = false
            return gaps
        } catch {
            if !hasReported { logger.error("rules for gaps wait, because the database cannot be read: \(error)") }
            hasReported = true
            return nil
        }
    }
}

extension OpenGap {
    /// The number of epochs of a vehicle whose gaps are watched: those with the greatest numbers, as in a receipt.
    static let maximumEpochs = VehicleCoverage.maximumEpochs
    /// The number of gaps of an epoch that are watched: the lowest ones.
    private static let maximumGaps = 100

    /// Reads the open gaps that are watched. A vehicle can have any number of them.
    static func read(from database: DatabaseLocation) throws(DatabaseFailure) -> [OpenGap] {
        try database.openForReading().prepare(
            """
            SELECT vehicle, epoch, first, last
            FROM (SELECT vehicle, epoch, first, last,
                         dense_rank() OVER (PARTITION BY vehicle ORDER BY epoch DESC) AS epoch_place,
                         row_number() OVER (PARTITION BY vehicle, epoch ORDER BY first) AS gap_place
                  FROM open_gaps) AS placed
            WHERE epoch_place <= \(maximumEpochs) AND gap_place <= \(maximumGaps)
            """
        ).rows { row -> OpenGap? in
            let (first, last) = (row.integer(2), row.integer(3))
            guard first <= last else { return nil }
            return OpenGap(vehicle: row.integer(0), epoch: row.integer(1), numbers: first...last)
        }
    }
}
