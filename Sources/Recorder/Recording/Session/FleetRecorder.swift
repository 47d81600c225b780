import Logging
import OdographCivilTime
import OdographLink
import OdographThreads
import OdographWire

/// The shell of the recorder: takes messages from the broker, writes them in batches, publishes receipts of what is
/// committed, and disconnects from the broker while the database cannot be written.
///
/// libmosquitto acknowledges a message before this program gets it. So a batch in memory must not be dropped: while
/// there is an error, the recorder keeps it, ends the connection, and tries again. The broker keeps what follows.
package actor FleetRecorder {
    let filters: [String]
    private let link: LinkConfiguration
    private let identity: RecorderClientIdentity
    let reader: MessageReader
    let limits: BatchLimits
    private let openDatabase: @Sendable () throws(DatabaseFailure) -> OpenDatabase
    let patience: Patience
    let hooks: Hooks
    let logger: Logger
    /// The counters of this recorder.
    nonisolated package let counters = RecorderCounters()
    /// A thread of its own, because a commit waits for the disk.
    private let executor: ThreadExecutor

    var database: OpenDatabase?
    var batch: Batch
    /// The messages that are not read yet.
    var intake: Intake
    /// The planned reading of messages.
    var readingTurn = PlannedTurn()
    /// The planned commit of the batch.
    var commitTurn = PlannedTurn()
    /// Logs which vehicles send too much.
    var refusals: RefusalLog
    /// The reason why the last write failed; nil if it did not.
    var failure: DatabaseFailure?
    /// The newest error of a service whose statements fail although records can be written.
    private var serviceFailure: DatabaseFailure?
    /// The probe that the session has not answered; nil if there is none.
    var probe: SuspendingClock.Instant?
    /// The error that ends the recorder.
    private var end: DatabaseFailure?
    private(set) var client: MQTTClient?
    /// Since when there has been a connection to the broker; nil while there is none.
    private(set) var connectedSince: ContinuousClock.Instant?
    /// Which filters have matched a message.
    var subscriptions: SubscriptionWatch
    /// Whether the session has a connection to the broker.
    var isConnected: Bool { connectedSince != nil }
    var isStopping = false
    /// The wait for the next attempt.
    var pause: Task<Void, Never>?

    var receipts: ReceiptDesk
    /// The planned publication of receipts.
    var receiptTurn = PlannedTurn()
    /// The reason why the receipts could not be computed; nil if they could.
    var receiptFailure: DatabaseFailure?
    /// Whether the log says that the broker refuses receipts on this connection.
    var hasReportedRefusal = false

    /// The executor of the actor.
    nonisolated package var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// - Parameters:
    ///   - settings: What to record.
    ///   - link: The settings of the session with the broker, without the client id.
    ///   - patience: The delays before a new attempt to write the database.
    ///   - hooks: The functions for the beginning and for a wait.
    ///   - logger: Logs the connection, and each beginning and end of an error.
    ///   - openDatabase: Opens the database; called again after each error.
    /// - Throws: `ThreadLimitError` if the system starts no thread.
    package init(
        _ settings: RecordingSettings, link: LinkConfiguration, patience: Patience = Patience(),
        hooks: Hooks = Hooks(), logger: Logger,
        openDatabase: @escaping @Sendable () throws(DatabaseFailure) -> OpenDatabase
    ) throws(ThreadLimitError) {
        executor = try ThreadExecutor()
        self.filters = settings.filters
        subscriptions = SubscriptionWatch(filters)
        self.link = link
        identity = RecorderClientIdentity(settings)
        self.reader = MessageReader(root: settings.root)
        self.limits = settings.batch
        self.patience = patience
        self.hooks = hooks
        self.logger = logger
        refusals = RefusalLog(logger)
        self.openDatabase = openDatabase
        batch = Batch(limits: settings.batch)
        intake = Intake(limits: settings.limits)
        receipts = ReceiptDesk(settings)
    }

    /// Records until ``stop()``.
    /// - Throws: ``DatabaseFailure`` if the database cannot be opened at the start, or not be written at the end, or if
    ///   another recorder uses the same name.
    package func run() async throws(DatabaseFailure) {
        try await openAtStart()
        if database != nil { hooks.begin() }
        // A recorder that waits for the database can have it then.
        defer {
            database = nil
            counters.setActive(false)
        }
        while !isStopping, !Task.isCancelled {
            await receive()
            if failure != nil {
                await recover()
            } else if !isStopping {
                // The session could not start, which it has logged.
                await wait(seconds: patience.minimumSeconds)
            }
        }
        readingTurn.cancel()
        do throws(DatabaseFailure) {
            try writeLast()
        } catch {
            logger.error(
                "\(batch.entries.count + intake.count) received messages are lost: the database cannot be written")
            throw error
        }
        if let end { throw end }
    }

    /// Opens the database. Waits, without a connection to the broker, while another recorder writes into it: this
    /// recorder then takes over. Waits also for a server that does not respond.
    private func openAtStart() async throws(DatabaseFailure) {
        var reported: DatabaseFailure?
        repeat {
            do throws(DatabaseFailure) {
                _ = try openedDatabase()
                return
            } catch {
                guard error.mayEnd else { throw error }
                if error != reported {
                    logger.notice("waiting for the database: \(error)")
                    hooks.wait(error)
                }
                reported = error
            }
            await wait(seconds: min(patience.maximumSeconds, 2))
        } while !isStopping && !Task.isCancelled
    }

    /// Returns the database. Opens it if it is not open.
    func openedDatabase() throws(DatabaseFailure) -> OpenDatabase {
        if let database { return database }
        do throws(DatabaseFailure) {
            let opened = try openDatabase()
            database = opened
            counters.setActive(true)
            return opened
        } catch {
            counters.countDatabaseError()
            throw error
        }
    }

    /// Whether this recorder writes the database, and does not wait for another one.
    var isActive: Bool { database != nil }

    /// Runs a function of a service with the database, between two batches.
    ///
    /// If records cannot be written after an error, the session with the broker ends, as after a failed write: the
    /// database that is opened next can be another one, and the receipts are made again then.
    /// - Returns: Nil if this recorder waits for another one.
    func withDatabase<Result: Sendable>(
        _ body: @Sendable (OpenDatabase) throws(DatabaseFailure) -> Result
    ) throws(DatabaseFailure) -> Result? {
        // Nil also between an error and the next attempt to write.
        guard failure == nil, let database else { return nil }
        do throws(DatabaseFailure) {
            return try body(database)
        } catch {
            counters.countDatabaseError()
            do throws(DatabaseFailure) {
                // If a transaction works, the error is not one of the connection.
                try database.records.verify()
                if error != serviceFailure {
                    logger.error("a service of the recorder cannot use the database: \(error)")
                }
                serviceFailure = error
            } catch let other {
                self.database = nil
                interrupt(other)
            }
            throw error
        }
    }

    /// Ends the session with the broker because of an error of the database.
    func interrupt(_ error: DatabaseFailure) {
        failure = error
        logger.error("disconnected from the broker, because the database cannot be used: \(error)")
        hooks.interrupt()
        Task { [client] in await client?.stop() }
    }

    /// Ends the connection. `run` then writes the last batch and returns.
    package func stop() async {
        isStopping = true
        pause?.cancel()
        await client?.stop()
    }

    // MARK: - Receiving

    /// Receives messages until the session ends: by ``stop()``, or after an error of the database.
    private func receive() async {
        guard !isStopping, let database else { return }
        var link = link
        link.clientID = identity.clientID(secret: database.records.clientSecret)
        let client = MQTTClient(configuration: link, logger: logger)
        self.client = client
        client.subscribe(filters)
        client.start()
        let silence = Task { await watchSubscriptions(of: client) }
        while true {
            let events = await client.events.nextBatch()
            guard !events.isEmpty else { break }
            for event in events { handle(event) }
            planReceipts()
            // The broker keeps what follows.
            while intake.isFull, failure == nil, !isStopping {
                readWaiting()
                try? await Task.sleep(for: .milliseconds(10))
            }
            // A client that has not ended yet would receive more than may wait. Once its events are full, it takes no
            // more.
            if failure != nil { await client.stop() }
        }
        silence.cancel()
        endReceipts()
        (self.client, probe) = (nil, nil)
        setConnection(nil)
    }

    private func setConnection(_ instant: ContinuousClock.Instant?) {
        connectedSince = instant
        counters.setConnected(instant != nil)
    }

    private func handle(_ event: LinkEvent) {
        switch event {
        case .message(let message):
            subscriptions.note(topic: message.topic)
            guard !receiveReceipt(message) else { return }
            take(Intake.Message(topic: message.topic, content: .payload(message.payload), received: .now))
        case .oversized(let topic, let bytes):
            take(Intake.Message(topic: topic, content: .oversized(bytes: bytes), received: .now))
        case .connected(let information):
            beginReceipts()
            setConnection(.now)
            if !information.isSessionPresent {
                logger.notice(
                    "the broker has no session of this recorder: what was published before, and not received, is lost")
            }
            if information.maximumQoS == 0 {
                logger.error("the broker delivers at QoS 0 only, and messages can be lost; allow QoS 1 at the broker")
            }
        case .disconnected:
            endReceipts()
            setConnection(nil)
        case .probeAnswered: probe = nil
        // Its interval is fixed.
        case .keepAliveLearned: break
        case .subscribed(let filter, let refusal):
            if let refusal {
                logger.error("the broker refuses the subscription to \(filter): \(refusal); check its access rules")
            }
            receipts.subscribe(filter)
        case .refused(_, _, let text): reportReceiptRefusal(text)
        default: break
        }
    }

    /// Returns whether a message is a receipt of the own name. One of another database at the same time ends the
    /// recorder: the vehicles would delete what only that database has.
    private func receiveReceipt(_ message: IncomingMessage) -> Bool {
        do throws(DatabaseFailure) {
            return try receipts.receive(message)
        } catch {
            if end == nil {
                end = error
                logger.error("the recorder ends: \(error)")
                Task { await stop() }
            }
            return true
        }
    }
}
