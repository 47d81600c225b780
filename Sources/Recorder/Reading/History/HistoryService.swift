import Logging
import OdographCivilTime
import OdographLink
import OdographThreads
import OdographWire

/// Answers requests about the past that arrive over the broker, and keeps the log of them.
///
/// It has a thread, a session with the broker and connections to the database of its own. So neither a long answer nor
/// a slow query delays what the recorder stores. Its session does not outlive its connection: requests that arrive
/// while no recorder runs get no answer, instead of a late one.
package actor HistoryService {
    /// The most parts of an answer that the broker has not acknowledged. They limit the memory.
    private static let maximumOutstanding = 8
    /// The most rows that are read at once.
    private static let pageSize = 500
    /// The time after which a new session begins if one could not start, seconds.
    private static let restartSeconds = 5.0
    /// The time between two removals of old entries of the log, seconds.
    private static let removalSeconds = 3600.0

    private let recording: RecordingSettings
    private let settings: HistorySettings
    private let link: LinkConfiguration
    private let logger: Logger
    private let uptimeMilliseconds: @Sendable () -> Int64
    private let openHistory: @Sendable () throws(DatabaseFailure) -> HistoryDatabase
    /// A thread of its own, because a query waits for the disk.
    private let executor: ThreadExecutor

    private var gate: RequestGate
    private var queue = RequestQueue()
    /// The request that is being answered.
    private var current: PendingRequest?
    private var client: MQTTClient?
    private var isStopping = false
    /// Whether another recorder may have the database, and answers.
    private var isSuspended = false
    /// The wait for the next session.
    private var pause: Task<Void, Never>?
    /// The tokens of the parts that the broker has not acknowledged.
    private var outstanding: Set<UInt64> = []
    private var lastToken: UInt64 = 0
    /// Whether a part of the current answer was not delivered.
    private var hasLostPart = false
    private var waiter: CheckedContinuation<Void, Never>?
    /// Whether the log says that the broker refuses answers on this connection.
    private var hasReportedRefusal = false
    private var removal: Task<Void, Never>?

    /// The executor of the actor.
    nonisolated package var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// - Parameters:
    ///   - recording: The settings of the recorder.
    ///   - settings: The limits of the answers.
    ///   - link: The settings of the session with the broker.
    ///   - logger: Gets one line for each request, and the errors.
    ///   - uptimeMilliseconds: The clock of the limit of requests a minute; tests pass another.
    ///   - openHistory: Opens the database for reading; called for each request.
    /// - Throws: `ThreadLimitError` if the system starts no thread.
    package init(
        _ recording: RecordingSettings, _ settings: HistorySettings, link: LinkConfiguration, logger: Logger,
        uptimeMilliseconds: @escaping @Sendable () -> Int64 = { BootClock.milliseconds },
        openHistory: @escaping @Sendable () throws(DatabaseFailure) -> HistoryDatabase
    ) throws(ThreadLimitError) {
        executor = try ThreadExecutor()
        (self.recording, self.settings) = (recording, settings)
        self.link = link
        self.logger = logger
        self.uptimeMilliseconds = uptimeMilliseconds
        self.openHistory = openHistory
        gate = RequestGate(requestsPerMinute: settings.requestsPerMinute)
    }

    /// Answers requests until ``stop()``, except while suspended. Without `history.answer` it only removes old entries
    /// of the log.
    package func run() async {
        guard !isStopping else { return }
        let removal = Task { await removeOldEntries() }
        self.removal = removal
        while settings.isAnswering, !isStopping {
            if !isSuspended { await receive() }
            guard !isStopping else { break }
            // The session could not start, which it has logged, or the answers are suspended.
            let seconds = isSuspended ? Self.removalSeconds : Self.restartSeconds
            let pause = Task { _ = try? await Task.sleep(for: .seconds(seconds)) }
            self.pause = pause
            await pause.value
        }
        await removal.value
    }

    /// Ends the session, or permits a new one.
    package func setSuspended(_ isSuspended: Bool) async {
        self.isSuspended = isSuspended
        if isSuspended { await client?.stop() } else { pause?.cancel() }
    }

    /// Ends the connection and the answers.
    package func stop() async {
        isStopping = true
        removal?.cancel()
        pause?.cancel()
        resumeWaiter()
        await client?.stop()
    }

    // MARK: - Receiving

    private func receive() async {
        let client = MQTTClient(configuration: link, logger: logger)
        self.client = client
        client.subscribe(settings.filters(of: recording))
        client.start()
        while true {
            let events = await client.events.nextBatch()
            guard !events.isEmpty else { break }
            for event in events { handle(event) }
        }
        self.client = nil
        // Nothing more of the current answer can be delivered, and no one waits for those behind it.
        hasLostPart = true
        outstanding.removeAll()
        resumeWaiter()
        while let (pending, _) = queue.takeNext() { gate.finish(pending.address) }
    }

    private func handle(_ event: LinkEvent) {
        switch event {
        case .message(let message):
            guard let pending = PendingRequest(message, root: recording.root, received: .now) else { return }
            receive(pending, payload: message.payload)
        case .oversized(let topic, let bytes):
            guard let pending = PendingRequest(topic: topic, root: recording.root, received: .now) else { return }
            refuse(pending, payloadBytes: bytes)
        case .connected: hasReportedRefusal = false
        case .subscribed(let filter, let refusal):
            if let refusal {
                logger.error("the broker refuses the subscription to \(filter): \(refusal); check its access rules")
            }
        case .acknowledged(let tokens): settle(tokens, isLost: false)
        case .unacknowledged(let tokens): settle(tokens, isLost: true)
        case .refused(let token, _, let text):
            settle([token], isLost: true)
            guard !hasReportedRefusal else { return }
            hasReportedRefusal = true
            logger.error("the broker refuses the answers: \(text); check that this login has the role recorder")
        default: break
        }
    }

    private func settle(_ tokens: [UInt64], isLost: Bool) {
        if isLost, !outstanding.isDisjoint(with: tokens) { hasLostPart = true }
        outstanding.subtract(tokens)
        resumeWaiter()
    }

    private func resumeWaiter() {
        waiter?.resume()
        waiter = nil
    }

    // MARK: - Requests

    private func receive(_ pending: PendingRequest, payload: [UInt8]) {
        // The same message can arrive twice.
        guard !queue.contains(pending), !(current?.isSame(as: pending) ?? false) else { return }
        let parsed = Result { () throws(HistoryRefusal) in try HistoryRequest(payload: payload) }
        if case .success(let request) = parsed, let recorder = request.recorder, recorder != recording.receipts.recorder
        {
            // Another recorder answers, also with a refusal.
            return
        }
        guard admit(pending) else { return }
        do throws(HistoryRefusal) {
            if let mistake = pending.mistake { throw mistake }
            let request = try parsed.get()
            queue.append(pending, request)
            if current == nil { Task { await answerAll() } }
        } catch {
            gate.finish(pending.address)
            log(pending, nil, error)
            publish(error, to: pending)
        }
    }

    private func refuse(_ pending: PendingRequest, payloadBytes: Int) {
        guard admit(pending) else { return }
        gate.finish(pending.address)
        let refusal = HistoryRefusal(
            .invalid, "the payload has \(payloadBytes) bytes; a request has at most \(HistoryRequest.maximumBytes)")
        log(pending, nil, refusal)
        publish(refusal, to: pending)
    }

    /// Returns whether a request is within the limits. Otherwise refuses it.
    private func admit(_ pending: PendingRequest) -> Bool {
        switch gate.admit(pending.address, atUptimeMilliseconds: uptimeMilliseconds()) {
        case .accept: return true
        case .refuse(let isAnswered, let isLogged):
            let refusal = HistoryRefusal(
                .tooMany,
                "the recorder answers \(settings.requestsPerMinute) requests a minute of a person, and keeps "
                    + "\(RequestGate.maximumWaitingOfPerson) waiting; ask again later")
            if isLogged { log(pending, nil, refusal) }
            if isAnswered { publish(refusal, to: pending) }
            return false
        }
    }

    private func publish(_ refusal: HistoryRefusal, to pending: PendingRequest) {
        let answer = HistoryAnswer(id: pending.id, recorder: recording.receipts.recorder, part: 1, .refusal(refusal))
        client?.publish([pending.message(answer)])
    }

    /// Logs a request that is refused before an answer begins.
    private func log(_ pending: PendingRequest, _ request: HistoryRequest?, _ refusal: HistoryRefusal) {
        do throws(DatabaseFailure) {
            _ = try RequestTable(recording.database).insert(
                pending.address, id: pending.id, request, .refused(refusal.code), received: pending.received)
        } catch {
            logger.error("a refused request cannot be logged: \(error)")
        }
        logger.info("\(pending.words(request)): refused, \(refusal.code.rawValue)")
    }

    // MARK: - Answers

    private func answerAll() async {
        while current == nil, !isStopping, let (pending, request) = queue.takeNext() {
            current = pending
            await answer(pending, request)
            current = nil
            gate.finish(pending.address)
        }
    }

    private func answer(_ pending: PendingRequest, _ request: HistoryRequest) async {
        let entry: (table: RequestTable, key: Int64)
        let database: HistoryDatabase
        var pages: any HistoryPages
        do {
            // The entry first: without an entry there is no answer.
            database = try openHistory()
            if case .acknowledge(let alerts) = request.query {
                try Acknowledgements(recording.database).store(alerts, by: pending.address, at: pending.received)
            }
            pages = try request.pages(of: pending.address.fleet, within: settings, in: database)
            let table = try RequestTable(recording.database)
            let key = try table.insert(
                pending.address, id: pending.id, request, .begun, received: pending.received)
            entry = (table, key)
        } catch let refusal as HistoryRefusal {
            log(pending, request, refusal)
            publish(refusal, to: pending)
            return
        } catch {
            logger.error("\(pending.words(request)): cannot be answered: \(error)")
            log(pending, request, .unavailable)
            publish(.unavailable, to: pending)
            return
        }
        var parts = AnswerParts(id: pending.id, recorder: recording.receipts.recorder, timeZone: pages.timeZone)
        hasLostPart = false
        var outcome = RequestTable.Outcome.answered
        do {
            let ending = try await send(&pages, of: database, request, &parts, to: pending)
            await send(ending, request, to: pending, mayWait: true)
        } catch {
            logger.error("\(pending.words(request)): the answer ends early: \(error)")
            outcome = .failed(.unavailable)
            await send(parts.end(.unavailable), request, to: pending, mayWait: true)
        }
        if hasLostPart || isStopping { outcome = .interrupted }
        do throws(DatabaseFailure) {
            try entry.table.end(entry.key, outcome, rows: parts.count)
        } catch {
            logger.error("the end of an answer cannot be logged: \(error)")
        }
        logger.info("\(pending.words(request)): \(outcome.word), \(parts.count) rows")
    }

    /// Sends all parts but the last one, which it returns.
    private func send(
        _ pages: inout any HistoryPages, of database: HistoryDatabase, _ request: HistoryRequest,
        _ parts: inout AnswerParts, to pending: PendingRequest
    ) async throws -> HistoryAnswer {
        let limit = request.limit(within: settings)
        while parts.count < limit, !hasLostPart, !isStopping {
            let page = try pages.read(from: database, limit: min(Self.pageSize, limit - parts.count))
            for row in page.rows {
                if let part = parts.append(row) { await send(part, request, to: pending) }
            }
            guard let next = page.next else { return parts.end(next: nil) }
            if parts.count >= limit { return parts.end(next: next) }
            // Events of the broker are handled between two pages.
            await Task.yield()
        }
        return parts.end(next: nil)
    }

    /// Sends a part, and waits while the broker is behind.
    /// - Parameter mayWait: Whether to wait until the broker has acknowledged everything.
    private func send(
        _ part: HistoryAnswer, _ request: HistoryRequest, to pending: PendingRequest, mayWait isLast: Bool = false
    ) async {
        guard !hasLostPart, !isStopping, let client else { return }
        lastToken += 1
        outstanding.insert(lastToken)
        client.publish([pending.message(part, token: lastToken, isCompressed: request.isCompressed)])
        while outstanding.count > (isLast ? 0 : Self.maximumOutstanding - 1), !isStopping, !hasLostPart {
            await withCheckedContinuation { waiter = $0 }
        }
        if hasLostPart { outstanding.removeAll() }
    }

    // MARK: - The log

    private func removeOldEntries() async {
        while !isStopping, !Task.isCancelled {
            do throws(DatabaseFailure) {
                let time = Timestamp.now.advanced(bySeconds: Double(-settings.logDays) * 86_400)
                let count = try RequestTable(recording.database).remove(before: time)
                if count > 0 { logger.notice("removed \(count) entries of the log of requests before \(time.iso8601)") }
            } catch {
                logger.error("old entries of the log of requests cannot be removed; the next attempt follows: \(error)")
            }
            try? await Task.sleep(for: .seconds(Self.removalSeconds))
        }
    }
}

extension HistoryRefusal {
    /// The refusal after an error of the database, without its details.
    fileprivate static let unavailable = HistoryRefusal(
        .unavailable, "the database cannot be read, or the request not logged; see the recorder's log")
}

extension PendingRequest {
    /// The request in a line of the log.
    fileprivate func words(_ request: HistoryRequest?) -> String {
        var words = "\(address.person) asks \(id) about \(address.fleet)"
        guard let request else { return words }
        words += request.device.map { "/\($0)" } ?? ""
        words += ", \(request.kind)"
        if let times = request.times { words += " from \(times.lowerBound.iso8601) to \(times.upperBound.iso8601)" }
        return words
    }
}
