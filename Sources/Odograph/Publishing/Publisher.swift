import CivilTime
import Link
import Logging
import Positioning
import Store
import Threads
import Wire

/// Carries the outbox to the broker: asks ``OutboxFlow`` what is next, reads it from the store, hands it to the session,
/// and tells the store what has been acknowledged.
actor Publisher {
    /// The store's own thread: reading the backlog and noting what was delivered are plain calls there.
    nonisolated var unownedExecutor: UnownedSerialExecutor { store.unownedExecutor }

    private let store: AgentStore
    private let session: Session
    /// How many messages may be under way or not yet noted as delivered: what a crash repeats at most.
    private let window: Int
    private let address: DeviceAddress
    private let clock: any AgentClock
    private let logger: Logger
    private let problems: ProblemBoard

    private let inbox = Lock<[(records: [StoredRecord], capturedUptimeMilliseconds: Int64?)]>([])
    private let doorbell = Doorbell()

    private var flow = OutboxFlow()
    /// Waits until records that the broker did not take are tried again.
    private var retry: (task: Task<Void, Never>, dueUptimeMilliseconds: Int64)?
    /// A Boolean value that indicates whether there is a connection.
    private(set) var isConnected = false
    /// A Boolean value that indicates whether the broker takes messages that it has to acknowledge.
    private var takesRecords = true

    init(
        store: AgentStore, session: Session, window: Int, address: DeviceAddress, clock: any AgentClock,
        problems: ProblemBoard,
        logger: Logger
    ) {
        self.store = store
        self.session = session
        self.window = window
        self.address = address
        self.clock = clock
        self.problems = problems
        self.logger = logger
    }

    /// Records were committed; called from where they were, in that order.
    /// - Parameter capturedUptimeMilliseconds: when, on the monotonic clock; nil: long ago.
    nonisolated func announce(_ records: [StoredRecord], capturedUptimeMilliseconds: Int64?) {
        inbox.withLock { $0.append((records, capturedUptimeMilliseconds)) }
        doorbell.ring()
    }

    /// Publishes until the task is cancelled.
    func run() async {
        for await _ in doorbell.rings { await handOver() }
        retry?.task.cancel()
    }

    /// Hands the session what it may have now. What is handed over goes out before what it is given afterwards.
    func handOver() async {
        do {
            try pump()
        } catch {
            await report(error, doing: "reading the backlog")
        }
    }

    // MARK: What the session says

    func connected(_ info: ConnectionInfo) {
        isConnected = true
        let tookRecords = takesRecords
        takesRecords = info.maximumQoS > 0
        guard takesRecords else {
            return problems.raise(
                .publishRefused, PublishAdvice.sentenceWithoutAcknowledgements, at: .warning, in: logger)
        }
        if !tookRecords { problems.settle(.publishRefused) }
        flow.connected(window: window)
        doorbell.ring()
    }

    func disconnected() {
        isConnected = false
        flow.disconnected()
        scheduleRetry()
    }

    func acknowledged(_ tokens: [UInt64]) async {
        let keys = flow.acknowledged(tokens)
        guard !keys.isEmpty else { return }
        do {
            try settle(keys)
        } catch {
            await report(error, doing: "noting what was delivered")
        }
        await handOver()
    }

    func overtaken(_ tokens: [UInt64]) {
        let keys = flow.overtaken(tokens, uptimeMilliseconds: clock.now().uptimeMilliseconds)
        guard !keys.isEmpty else { return }
        problems.raise(
            .publishRefused, PublishAdvice.sentence(ofUnacknowledged: keys.map(\.seq)), at: .warning, in: logger)
    }

    func refused(token: UInt64, reason: PublishRefusal, text: String) async {
        guard let key = flow.refused(token, uptimeMilliseconds: clock.now().uptimeMilliseconds) else { return }
        problems.raise(
            .publishRefused, PublishAdvice.sentence(ofRefused: key.seq, reason, text), at: .warning, in: logger)
        scheduleRetry()
    }

    /// Waits until the next record is due that the broker did not take.
    private func scheduleRetry() {
        let due = flow.retryDueUptimeMilliseconds
        guard due != retry?.dueUptimeMilliseconds else { return }
        retry?.task.cancel()
        retry = due.map { due in
            let task = Task { [weak self, clock] in
                do { try await clock.sleep(untilUptimeMilliseconds: due) } catch { return }
                await self?.tryAgain()
            }
            return (task, due)
        }
    }

    /// The store has records that were not announced.
    func readAgain() {
        flow.readAgain()
        doorbell.ring()
    }

    private func tryAgain() async {
        // Another wait may have taken this one's place before its turn came.
        guard !Task.isCancelled else { return }
        retry = nil
        if flow.retry(uptimeMilliseconds: clock.now().uptimeMilliseconds) { doorbell.ring() }
        scheduleRetry()
    }

    // MARK: The pump

    private func pump() throws {
        takeInbox()
        hand(flow.takeLive(uptimeMilliseconds: clock.now().uptimeMilliseconds))
        while let request = flow.backlogRequest() {
            let records = try read(request)
            try forgetEmpty(records)
            takeInbox()
            let uptime = clock.now().uptimeMilliseconds
            hand(flow.takeBacklog(records, for: request, uptimeMilliseconds: uptime))
            hand(flow.takeLive(uptimeMilliseconds: uptime))
            if records.isEmpty { break }
        }
        scheduleRetry()
        if takesRecords, flow.isUntroubled { problems.settle(.publishRefused) }
    }

    private func takeInbox() {
        let commits = inbox.withLock { commits in
            defer { commits.removeAll() }
            return commits
        }
        for commit in commits {
            flow.announce(commit.records, capturedUptimeMilliseconds: commit.capturedUptimeMilliseconds)
        }
    }

    private func read(_ request: OutboxFlow.BacklogRequest) throws -> [StoredRecord] {
        try store.assumeIsolated {
            try $0.unacknowledged(after: request.after, limit: request.limit, maximumBytes: request.maximumBytes)
        }
    }

    /// Removes records without contents from the store: there is nothing to publish.
    private func forgetEmpty(_ records: [StoredRecord]) throws {
        let empty = records.filter(\.payload.isEmpty)
        guard !empty.isEmpty else { return }
        logger.error(
            "records without contents, stored by an earlier version, are removed and not published",
            metadata: ["seqs": "\(empty.map(\.seq))"])
        try settle(empty.map(\.key))
    }

    private func hand(_ publications: [OutboxFlow.Publication]) {
        guard !publications.isEmpty else { return }
        session.publish(
            publications.map { publication in
                let channel = publication.record.kind.channel
                return OutgoingMessage(
                    token: publication.token,
                    topic: publication.isLive ? address.topic(channel) : address.backlogTopic(channel),
                    payload: publication.record.payload,
                    isRetained: publication.isLive && channel.isRetained,
                    // A revision never overtakes an earlier one on the last stretch either.
                    isBulk: !publication.isLive || publication.record.kind == .timeline)
            })
    }

    private func settle(_ keys: [RecordKey]) throws {
        let pending = try store.assumeIsolated { store in
            try store.acknowledge(keys)
            return store.pendingAcknowledgementCount
        }
        flow.settled(pending: pending)
    }

    private func report(_ error: any Error, doing what: String) async {
        problems.raise(.storeFailed, "\(what): \(error)", at: .error, in: logger)
    }
}
