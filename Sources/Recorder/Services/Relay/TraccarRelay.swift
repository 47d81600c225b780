import Logging
import OdographHTTP
import OdographThreads

/// Sends each stored position to Traccar, in the order in which they were stored, at least once.
///
/// Its place is in the database. While Traccar does not respond, the place waits; the recorder goes on.
package actor TraccarRelay {
    /// The times of the relay.
    package struct Times: Sendable {
        /// The time between two looks for new records, seconds.
        package var pollSeconds = 0.5
        /// The time after which the place is stored while a page is sent, seconds.
        package var placeSeconds = 1.0
        /// The upper bound of the delay after the first failed attempt, seconds. It doubles with each attempt.
        package var minimumSeconds = 1.0
        /// The upper bound of every delay, seconds.
        package var maximumSeconds = 60.0
        /// The limits of a request.
        package var limits = HTTPClient.Limits()

        /// Creates the usual times.
        package init() {}
    }

    /// The states with which Traccar refuses a record for ever: 404 is an unknown vehicle.
    private static let refusals: Set<Int> = [400, 404, 413, 415, 422]

    private let recorder: FleetRecorder
    private let settings: RelaySettings
    private let times: Times
    private let logger: Logger
    private let client: WebServiceClient
    private var backoff: Backoff
    /// Whether the log says that Traccar does not respond.
    private var isFailing = false
    /// The vehicles whose refusal the log says.
    private var refused: Set<String> = []
    /// A thread of its own, because a request waits for the network.
    private let executor: ThreadExecutor

    /// The executor of the actor.
    nonisolated package var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// - Parameters:
    ///   - recorder: The recorder whose database has the records.
    ///   - settings: The settings.
    ///   - times: The times.
    ///   - logger: Logs the beginning and the end of an error, and the first refusal of each vehicle.
    /// - Throws: `ThreadLimitError` if the system starts no thread.
    package init(
        _ recorder: FleetRecorder, settings: RelaySettings, times: Times = Times(), logger: Logger
    ) throws(ThreadLimitError) {
        executor = try ThreadExecutor()
        (self.recorder, self.settings, self.times, self.logger) = (recorder, settings, times, logger)
        client = WebServiceClient(limits: times.limits)
        backoff = Self.backoff(times)
    }

    /// Relays until the task is cancelled.
    package func run() async {
        while !Task.isCancelled {
            // The recorder reports an error of the database itself.
            let page = try? await recorder.withDatabase { database throws(DatabaseFailure) in
                try database.relay.page()
            }
            let hasMore = if let page { await send(page) } else { false }
            if !hasMore { try? await Task.sleep(for: .seconds(times.pollSeconds)) }
        }
    }

    /// Sends the records of a page.
    /// - Returns: Whether to go on at once.
    private func send(_ page: RelayPage) async -> Bool {
        guard let end = page.end else { return false }
        var progress = Progress(start: .now)
        for record in page.records {
            guard await send(record, &progress), !Task.isCancelled else {
                // The records before it are done.
                if let last = progress.last { _ = await store(last, page, &progress) }
                return false
            }
            progress.last = record.key
            if progress.start.duration(to: .now) >= .seconds(times.placeSeconds) {
                // The rest is read again: it can have been erased meanwhile.
                return await store(record.key, page, &progress)
            }
        }
        return await store(end, page, &progress)
    }

    /// The records that are done, as far as the place does not contain them.
    private struct Progress {
        var start: ContinuousClock.Instant
        var relayed = 0
        var refused = 0
        /// The key of the last record that is done.
        var last: Int64?
    }

    /// Sends a record.
    /// - Returns: Whether Traccar has answered. Otherwise this has waited before the next attempt.
    private func send(_ record: RelayedRecord, _ progress: inout Progress) async -> Bool {
        let identifier =
            switch settings.identifier {
            case .device: record.device
            case .fleetDevice: "\(record.fleet)-\(record.device)"
            }
        guard let body = TraccarMessage.body(of: record.payload, identifier: identifier) else { return true }
        switch client.post(body, to: settings.service, refusals: Self.refusals) {
        case .delivered: progress.relayed += 1
        case .refused(let reason):
            progress.refused += 1
            if refused.count < 10_000, refused.insert(identifier).inserted {
                logger.error("Traccar refuses records of \(identifier): \(reason); create the device there")
            }
        case .failed(let reason):
            if !isFailing { logger.error("the relay waits, because Traccar does not accept records: \(reason)") }
            isFailing = true
            var generator = SystemRandomNumberGenerator()
            let seconds = backoff.nextDelaySeconds(connectedSeconds: nil, using: &generator)
            try? await Task.sleep(for: .seconds(seconds))
            return false
        }
        if isFailing { logger.notice("Traccar accepts records again") }
        isFailing = false
        backoff = Self.backoff(times)
        return true
    }

    /// Stores the place.
    /// - Returns: Whether it is stored. Otherwise the records are sent again.
    private func store(_ place: Int64, _ page: RelayPage, _ progress: inout Progress) async -> Bool {
        let (relayed, refused) = (progress.relayed, progress.refused)
        let stored: Void? = try? await recorder.withDatabase { database throws(DatabaseFailure) in
            try database.relay.move(to: place, in: page, relayed: relayed, refused: refused)
        }
        progress = Progress(start: .now)
        return stored != nil
    }

    private static func backoff(_ times: Times) -> Backoff {
        Backoff(
            minimumSeconds: times.minimumSeconds, maximumSeconds: times.maximumSeconds, resetSeconds: .infinity,
            floorSeconds: times.minimumSeconds / 2)
    }
}
