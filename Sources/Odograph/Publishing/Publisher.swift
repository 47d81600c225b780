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
    /// After a refusal by the broker records are tried again this much later, seconds.
    private static let retrySeconds = 60.0

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
    private var retry: Task<Void, Never>?

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
        retry?.cancel()
    }

    /// Hands the session what it may have now. What is handed over goes out before what it is given afterwards.
    func handOver() async {
        do {
            try pump()
        } catch {
            await report(error, doing: "reading the backlog")
        }
    }

    /// Whether there is a connection.
    var isConnected: Bool { flow.isConnected }

    // MARK: What the session says

    func connected() {
        flow.connected(window: window)
        doorbell.ring()
    }

    func disconnected() {
        flow.disconnected()
        retry?.cancel()
        retry = nil
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

    func refused(token: UInt64, reasonCode: Int, text: String) async {
        guard let key = flow.refused(token) else { return }
        let sentence =
            "the broker refused record \(key.seq): \(text) (reason \(reasonCode)); it stays here and is "
            + "tried again; check that user or certificate are this device's own, and what the broker lets it write"
        problems.raise(.publishRefused, sentence, at: .warning, in: logger)
        guard retry == nil else { return }
        retry = Task { [weak self] in
            try? await Task.sleep(for: .seconds(Self.retrySeconds))
            guard !Task.isCancelled else { return }
            await self?.tryRefusedAgain()
        }
    }

    private func tryRefusedAgain() async {
        retry = nil
        guard flow.retryRefused() else { return }
        problems.settle(.publishRefused)
        doorbell.ring()
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
