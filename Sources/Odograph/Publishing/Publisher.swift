import OdographBatches
import OdographCivilTime
import OdographLink
import Logging
import OdographModel
import OdographPositioning
import OdographStore
import OdographThreads
import OdographWire

/// Publishes the outbox: asks ``PublishFlowControl`` for the next step, reads rows from the store, passes them to the
/// client, and passes acknowledgements to the store.
actor Publisher {
    /// The store's own thread, so that reads and acknowledgements are plain calls.
    nonisolated var unownedExecutor: UnownedSerialExecutor { store.unownedExecutor }

    let store: AgentStore
    let client: MQTTClient
    /// The maximum number of records in flight, or acknowledged and not yet noted on the disk. A crash repeats at most
    /// these.
    private let maximumInFlight: Int
    let address: DeviceAddress
    let clock: any AgentClock
    let logger: Logger
    let problems: ProblemRegistry

    private let inbox = Lock<[CommittedRecords]>([])
    let workSignal = CoalescingSignal()
    /// Signals that the settings may have changed.
    nonisolated let settingsSignal = CoalescingSignal()

    var flowControl = PublishFlowControl()
    /// The timer of the next attempt to send records that the broker did not accept, and of the next batch.
    private var retryTimer = DueTimer()
    /// The state of delivery with receipts; nil with delivery to the broker.
    var delivery: ReceiptDelivery?
    /// The traffic budget; nil if there is none.
    var budget: LinkBudget?
    /// The configured form in which records are published.
    private(set) var encoding = EncodingSettings()
    /// The timer of the next check whether records are to be sent again because of receipts.
    var deliveryTimer = DueTimer()
    private(set) var isConnected = false
    /// Whether the agent publishes and reads the topic `numbers`.
    private(set) var announcesNumbers: Bool
    /// Whether records wait for the retained message of the topic `numbers`.
    var announcements: AnnouncementWatch
    /// The announcement that the broker has, as far as it is known on this connection.
    var announced: NumberAnnouncement?
    /// The timer of an early attempt to connect again.
    private var reconnectionTimer = DueTimer()
    /// The time until that attempt, seconds.
    private static let soonSeconds = 2.0
    /// The largest number of reads of the store before other work of it goes on.
    private static let readsPerTurn = 64
    /// The timer of the end of the wait.
    var announcementTimer = DueTimer()
    /// Whether a message on the topic `numbers` has come in this run.
    var hasComparedNumbers = false
    /// Called when another run of this device has published records that this one does not know, with the most of them.
    private(set) var onOtherRun: (@Sendable (_ records: Int) -> Void)?
    /// Whether the broker accepts messages that it must acknowledge.
    private var supportsQoS1 = true

    init(
        store: AgentStore, client: MQTTClient, maximumInFlight: Int, address: DeviceAddress, clock: any AgentClock,
        problems: ProblemRegistry,
        announcesNumbers: Bool, logger: Logger
    ) {
        self.announcesNumbers = announcesNumbers
        announcements = AnnouncementWatch(isSubscribed: announcesNumbers)
        self.store = store
        self.client = client
        self.maximumInFlight = maximumInFlight
        self.address = address
        self.clock = clock
        self.problems = problems
        self.logger = logger
    }

    /// Queues committed records. Called on the thread of the commits, in their order.
    nonisolated func enqueueCommitted(_ committed: CommittedRecords) {
        inbox.withLock { $0.append(committed) }
        workSignal.send()
    }

    /// Sets the function that is called when another run of this device has published records that this one does not
    /// know, with the most of them.
    func observeOtherRuns(_ observer: @escaping @Sendable (_ records: Int) -> Void) { onOtherRun = observer }

    /// Asks the owner to pass the settings again.
    nonisolated func requestSettings() { settingsSignal.send() }

    /// Publishes until the task is cancelled.
    func run() async {
        for await _ in workSignal.stream { await publishPending() }
        retryTimer.cancel()
        deliveryTimer.cancel()
        announcementTimer.cancel()
        reconnectionTimer.cancel()
    }

    /// Applies the settings of publishing.
    func updateSettings(_ settings: TrackingSettings) {
        encoding = settings.encoding
        updateBudget(settings.monthlyBudget, zone: settings.schedule.zone)
        flowControl.updateEncoding(flowControl.gate.encoding(encoding))
        updateDelivery(settings.delivery)
        workSignal.send()
    }

    /// Passes the client all records for which there is room in flight. They are sent before later messages to the
    /// client.
    /// - Parameter isClosingBatch: Whether the records that wait for a batch are among them.
    func publishPending(isClosingBatch: Bool = false) async {
        attempt("cannot read the backlog") { try pump(isClosingBatch: isClosingBatch) }
    }

    /// Waits until the broker has acknowledged the records that the client has, at most for a time.
    func waitForAcknowledgements(atMost limit: Duration) async {
        let end = ContinuousClock.now + limit
        while isConnected, flowControl.hasOutstanding, ContinuousClock.now < end {
            try? await Task.sleep(for: .milliseconds(10))
        }
    }

    // MARK: What the client says

    func handleConnected(_ info: ConnectionInfo) {
        isConnected = true
        reconnectionTimer.cancel()
        let tookRecords = supportsQoS1
        supportsQoS1 = info.maximumQoS > 0
        guard supportsQoS1 else {
            return problems.raise(
                .publishRefused, PublishProblemText.qos1UnsupportedMessage, at: .warning, in: logger)
        }
        if !tookRecords { problems.clear(.publishRefused) }
        flowControl.handleConnected(
            maximumInFlight: maximumInFlight, uptimeMilliseconds: clock.now().uptimeMilliseconds)
        announced = nil
        announcements.handleConnected(
            hasAnnounced: store.assumeIsolated { $0.announcement.through > 0 },
            uptimeMilliseconds: clock.now().uptimeMilliseconds)
        scheduleAnnouncement()
        delivery?.watch.handleConnected(uptimeMilliseconds: clock.now().uptimeMilliseconds)
        scheduleDelivery()
        workSignal.send()
    }

    /// - Parameters:
    ///   - isByBroker: Whether the broker may have ended the connection because of a message.
    ///   - retryInSeconds: The time until the next attempt; nil for none.
    func handleDisconnected(isByBroker: Bool = false, retryInSeconds: Double? = nil) {
        isConnected = false
        let uptime = clock.now().uptimeMilliseconds
        let hasProgress = flowControl.hasProgress
        announcements.handleDisconnected(
            isAfterAnnouncement: isByBroker && announced != nil && !hasProgress, isAlone: !flowControl.hasOutstanding)
        giveUpAnnouncements()
        if let aside = flowControl.handleDisconnected(isByBroker: isByBroker, uptimeMilliseconds: uptime) {
            let channel = aside.kind.channel
            let topic = aside.isLive ? address.topic(channel) : address.backlogTopic(channel)
            problems.raise(
                .publishRefused, PublishProblemText.endedMessage(ofSeq: aside.key.seq, on: topic, aside.pause),
                at: .warning, in: logger)
        }
        reconnectSoon(hasProgress: isByBroker && hasProgress && flowControl.ends.hasProbableCause, retryInSeconds)
        scheduleAnnouncement()
        delivery?.watch.handleDisconnected(uptimeMilliseconds: clock.now().uptimeMilliseconds)
        scheduleDelivery()
        scheduleRetry()
    }

    /// Gives the announcements up for this run if three connections in a row end on one. Records matter more.
    private func giveUpAnnouncements() {
        guard announcements.ends >= 3, announcesNumbers else { return }
        announcesNumbers = false
        logger.warning(
            """
            the broker ended three connections in a row right after \(numbersTopic); the agent does not publish it until \
            its next start; allow the topic in the broker's access rules
            """)
    }

    /// Ends the wait for the next connection if the last one has delivered records, and a record has probably ended it:
    /// then the broker is well.
    private func reconnectSoon(hasProgress: Bool, _ retryInSeconds: Double?) {
        let isSoon = hasProgress && retryInSeconds.map { $0 > Self.soonSeconds } ?? false
        let due: Int64? = isSoon ? clock.now().uptimeMilliseconds + Int64(Self.soonSeconds * 1000) : nil
        reconnectionTimer.set(due, clock: clock) { [weak self] in await self?.handleReconnectionTimer() }
    }

    private func handleReconnectionTimer() {
        if reconnectionTimer.takeExpired() { client.reconnect() }
    }

    func handleAcknowledged(_ tokens: [UInt64]) async {
        let keys = flowControl.handleAcknowledged(tokens)
        guard !keys.isEmpty else { return }
        if delivery != nil {
            // Only receipts delete records, and only published ones.
            attempt("cannot note delivered records") { try settle { try $0.notePublished(keys) } }
            delivery?.plan.handleAcknowledged(keys, uptimeMilliseconds: clock.now().uptimeMilliseconds)
            delivery?.watch.handleAcknowledged(uptimeMilliseconds: clock.now().uptimeMilliseconds)
            if !deliveryTimer.isSet { scheduleDelivery() }
        } else {
            attempt("cannot delete delivered records") { try settle { try $0.acknowledge(keys) } }
        }
        await publishPending()
    }

    func handleUnacknowledged(_ tokens: [UInt64]) {
        let keys = flowControl.handleUnacknowledged(tokens, uptimeMilliseconds: clock.now().uptimeMilliseconds)
        guard !keys.isEmpty else { return }
        problems.raise(
            .publishRefused, PublishProblemText.unacknowledgedMessage(ofSeqs: keys.map(\.seq)), at: .warning, in: logger
        )
    }

    func handleRefused(token: UInt64, reason: PublishRefusal, text: String) async {
        let refusal = flowControl.handleRefused(
            token, isTooLarge: reason == .packetTooLarge, uptimeMilliseconds: clock.now().uptimeMilliseconds)
        let problem: String
        switch refusal {
        case .record(let key)?: problem = PublishProblemText.refusedMessage(ofSeq: key.seq, reason, text)
        case .batch(let records, let nextLimit)?:
            problem = PublishProblemText.refusedMessage(ofBatchOf: records, nextLimit: nextLimit, reason, text)
        case nil: return
        }
        problems.raise(.publishRefused, problem, at: .warning, in: logger)
        scheduleRetry()
        // There is room for the records behind it.
        workSignal.send()
    }

    /// Schedules the next attempt to send records that the broker did not accept, and the end of the wait for a batch.
    private func scheduleRetry() {
        retryTimer.set(flowControl.timerDueUptimeMilliseconds, clock: clock) { [weak self] in
            await self?.handleRetryTimer()
        }
    }

    /// Reads the whole store again: it contains records that were not enqueued.
    func rewindBacklog() {
        flowControl.rewindBacklog()
        workSignal.send()
    }

    private func handleRetryTimer() async {
        guard retryTimer.takeExpired() else { return }
        let now = clock.now().uptimeMilliseconds
        let isRetrying = flowControl.retry(uptimeMilliseconds: now)
        if flowControl.closeBatch(uptimeMilliseconds: now) || isRetrying { workSignal.send() }
        scheduleRetry()
    }

    // MARK: The pump

    private func pump(isClosingBatch: Bool) throws {
        drainInbox()
        guard try mayPublishNumbers() else { return }
        noticeGivenUpRecords()
        if isClosingBatch {
            flowControl.closeBatch(isAtOnce: true, uptimeMilliseconds: clock.now().uptimeMilliseconds)
        }
        publish(flowControl.dequeueLive(uptimeMilliseconds: clock.now().uptimeMilliseconds))
        // Records that wait for their topic are read too. Commits must not wait for all of them.
        var reads = 0
        while !isAwaitingReceipts, let request = flowControl.backlogRequest() {
            reads += 1
            guard reads <= Self.readsPerTurn else {
                workSignal.send()
                break
            }
            let records = try read(request)
            drainInbox()
            guard try mayPublishNumbers() else { return }
            let uptime = clock.now().uptimeMilliseconds
            publish(flowControl.handleBacklog(records, for: request, uptimeMilliseconds: uptime))
            publish(flowControl.dequeueLive(uptimeMilliseconds: uptime))
            if records.isEmpty { break }
        }
        scheduleRetry()
        guard supportsQoS1, flowControl.isFullyDelivered else { return }
        problems.clear(.publishRefused)
        if flowControl.gate.allowsLocations { endBudgetRelease() }
    }

    private func drainInbox() {
        let commits = inbox.withLock { commits in
            defer { commits.removeAll() }
            return commits
        }
        let epoch = store.epochIdentity.epoch
        for committed in commits {
            if committed.records.contains(where: { $0.epoch != epoch }) {
                // An epoch has begun since the commit.
                flowControl.handleNewEpoch()
            } else {
                flowControl.noteCommitted(committed)
            }
        }
    }

    private func read(_ request: PublishFlowControl.BacklogRequest) throws -> [StoredRecord] {
        if let delivery { return try readWanted(request, delivery) }
        return try store.assumeIsolated {
            try $0.unacknowledged(
                after: request.after, limit: request.limit, maximumBytes: request.maximumBytes,
                withLocations: request.withLocations)
        }
    }

    private func publish(_ publications: [PublishFlowControl.Publication]) {
        guard !publications.isEmpty else { return }
        client.publish(
            publications.compactMap { publication in
                publication.isBatch
                    ? batchMessage(publication)
                    : publication.records.first.map { record in
                        message(publication, record)
                    }
            })
    }

    private func message(_ publication: PublishFlowControl.Publication, _ record: StoredRecord) -> OutgoingMessage {
        let channel = record.kind.channel
        return OutgoingMessage(
            token: publication.token,
            topic: publication.isLive ? address.topic(channel) : address.backlogTopic(channel),
            payload: record.payload, isRetained: channel.isRetained(asBacklog: !publication.isLive),
            // Keeps revisions in order in the client too.
            isBulk: !publication.isLive || record.kind == .timeline)
    }

    /// Returns the message of a batch. Nil if it cannot be made: its records are then sent alone.
    private func batchMessage(_ publication: PublishFlowControl.Publication) -> OutgoingMessage? {
        let identity = store.epochIdentity
        guard let epoch = publication.records.first?.epoch else { return nil }
        // The seed of an earlier epoch is not kept.
        let encoder = BatchEncoder(
            deviceID: address.device, epoch: epoch, seed: epoch == identity.epoch ? identity.seed : nil)
        let records = publication.records.map {
            BatchRecord(channel: $0.kind.channel, seq: $0.seq, payload: $0.payload)
        }
        guard let payload = encoder.message(of: records) else {
            logger.error(
                "cannot make a batch: memory is short, or a record is not UTF-8; its records are sent alone",
                metadata: ["seqs": "\(records.map(\.seq))"])
            _ = flowControl.handleRefused(
                publication.token, uptimeMilliseconds: clock.now().uptimeMilliseconds)
            workSignal.send()
            return nil
        }
        return OutgoingMessage(
            token: publication.token, topic: address.topic(.batch), payload: payload,
            isRetained: UplinkChannel.batch.isRetained, isBulk: true)
    }

    /// Tells the store of acknowledged records. Until that is on the disk, they count as in flight.
    private func settle(_ note: @Sendable (isolated AgentStore) throws -> Void) throws {
        let pending = try store.assumeIsolated { store in
            try note(store)
            return store.pendingAcknowledgementCount
        }
        flowControl.updatePendingAcknowledgements(pending)
    }

    /// Makes calls of the store. Each kind of call is a reason of its own for the problem.
    /// - Parameter failure: The text of the problem, without its cause; it names the kind of call.
    func attempt(_ failure: String, _ calls: () throws -> Void) {
        do {
            try calls()
            problems.clear(.storeFailed, reason: failure)
        } catch {
            problems.raise(.storeFailed, "\(failure): \(error)", reason: failure, at: .error, in: logger)
        }
    }
}
