import OdographLink
import Logging
import OdographModel
import OdographPositioning
import OdographThreads

/// Passes each event of the client to the part of the agent that handles it.
actor LinkEventRouter {
    /// The length of an outage after which the broker's retained position is stale, seconds.
    private static let stalePositionSeconds = PublishFlowControl.liveSeconds
    /// The timeout of the position that is recorded for a new connection, seconds.
    private static let positionTimeoutSeconds = 60.0

    private let parts: AgentParts
    private let downlink: DownlinkRouter
    private let clock: any AgentClock
    private let problems: ProblemRegistry
    private let probeResponses: HeartbeatCounter
    private let stateChanges: CoalescingSignal
    private let logger: Logger
    /// The beginning of the topics of receipts.
    private let receiptPrefix: String

    private var ownStatus: OwnStatusMonitor
    private var problemDetector = LinkProblemDetector()
    /// The timer of the next change of link problems that depends on time alone.
    private var timer = DueTimer()
    private var positionTask: Task<Void, Never>?
    /// The topics that the broker has refused and not granted since.
    private var refusedTopics: Set<String> = []
    /// The topics of reports that the broker has refused on this connection.
    private var refusedReports: Set<String> = []

    init(
        _ parts: AgentParts, ownStatus: OwnStatusMonitor, downlink: DownlinkRouter, clock: any AgentClock,
        problems: ProblemRegistry, probeResponses: HeartbeatCounter, stateChanges: CoalescingSignal, logger: Logger
    ) {
        self.parts = parts
        self.ownStatus = ownStatus
        self.downlink = downlink
        self.clock = clock
        self.problems = problems
        self.probeResponses = probeResponses
        self.stateChanges = stateChanges
        self.logger = logger
        receiptPrefix = parts.publisher.address.receiptTopic(of: "")
    }

    /// Handles events until the client ends.
    func run() async {
        for await event in parts.client.events { await handle(event) }
        timer.cancel()
        positionTask?.cancel()
        await positionTask?.value
    }

    private func handle(_ event: LinkEvent) async {
        switch event {
        case .connected(let info): await handleConnected(info)
        case .disconnected(let failure, let retry): await handleDisconnected(failure, retryInSeconds: retry)
        case .acknowledged(let tokens):
            apply(problemDetector.handleBrokerResponse())
            await parts.publisher.handleAcknowledged(tokens)
            if tokens.contains(where: CertificateRenewal.tokens.contains) {
                await parts.renewal.handleAcknowledged(tokens)
            }
            if tokens.contains(where: { $0 >= RemoteCommands.firstAnswerToken }) {
                await downlink.commands.completeDelivery(tokens)
            }
        case .refused(let token, let reason, let text):
            guard token < RemoteCommands.firstAnswerToken else {
                logger.warning("the broker refuses the answer to a command: \(text); check its access rules and limits")
                return await downlink.commands.completeDelivery([token])
            }
            if CertificateRenewal.tokens.contains(token) {
                return await parts.renewal.handleRefused(token, text: text)
            }
            await parts.publisher.handleRefused(token: token, reason: reason, text: text)
        case .refusedWithoutToken(let topic, let text):
            guard refusedReports.insert(topic).inserted else { break }
            logger.warning("the broker refuses \(topic): \(text); check its access rules and limits")
        case .acknowledgementsMissing(let tokens):
            await parts.publisher.handleUnacknowledged(tokens)
            // The broker acknowledged later messages, so it has processed these answers. A requester that misses one
            // sends its command again.
            await downlink.commands.completeDelivery(tokens)
        case .message(let message) where message.topic == ownStatus.topic: ownStatus.handle(message)
        case .message(let message) where message.topic == parts.publisher.numbersTopic:
            await parts.publisher.handleNumbers(message.payload)
        case .message(let message) where message.topic.hasPrefix(receiptPrefix):
            await parts.publisher.handleReceipt(
                message.payload, of: String(message.topic.dropFirst(receiptPrefix.count)))
            // It can be the first one of its database.
            parts.reporter.requestReport()
        case .message(let message) where message.topic == parts.renewal.topic:
            await parts.renewal.handleMessage(message.payload)
        case .message(let message): downlink.route(message)
        case .oversized(let topic, let bytes): downlink.routeOversized(topic: topic, bytes: bytes)
        case .subscribed(let filter, let refusal): await handleSubscribed(filter, refusal)
        case .keepAliveLearned(let memory): await parts.linkStateStore.recordKeepAlive(memory)
        case .traffic(let bytes): await handleTraffic(bytes)
        case .probeAnswered: probeResponses.increment()
        // Unacknowledged records are still in the store. The next connection publishes them.
        case .unacknowledged, .connecting: break
        }
    }

    /// Raises and clears problems, and schedules the next check.
    private func apply(_ changes: [LinkProblemDetector.Change]) {
        for change in changes {
            switch change {
            case .raise(.brokerUnreachable, let text):
                // The client itself logs each failure.
                problems.raise(.brokerUnreachable, text)
            case .raise(let code, let text): problems.raise(code, text, at: .warning, in: logger)
            case .clear(let code): problems.clear(code)
            }
        }
        timer.set(problemDetector.dueUptimeMilliseconds, clock: clock) { [weak self] in await self?.handleTimer() }
    }

    private func handleTimer() {
        guard timer.takeExpired() else { return }
        apply(problemDetector.tick(atUptimeMilliseconds: clock.now().uptimeMilliseconds))
    }

    /// Ends the refusals of the groups that the vehicle has left.
    func handleLeftGroups() {
        guard !refusedTopics.isEmpty else { return }
        refusedTopics = refusedTopics.filter { !downlink.isOfOtherGroup($0) }
        if refusedTopics.isEmpty { problems.clear(.subscriptionRefused) }
    }

    private func handleSubscribed(_ filter: String, _ refusal: String?) async {
        apply(problemDetector.handleBrokerResponse())
        guard !downlink.isOfOtherGroup(filter) else { return }
        if filter == parts.publisher.numbersTopic {
            await parts.publisher.handleNumbersSubscribed(isRefused: refusal != nil)
        }
        guard let refusal else {
            if refusedTopics.remove(filter) != nil, refusedTopics.isEmpty { problems.clear(.subscriptionRefused) }
            return await downlink.handleSubscribed(topic: filter)
        }
        refusedTopics.insert(filter)
        problems.raise(
            .subscriptionRefused,
            "the broker refused the subscription to \(filter) (\(refusal)); check the broker's access rules")
    }

    private func handleConnected(_ info: ConnectionInfo) async {
        problemDetector.handleConnected(atUptimeMilliseconds: clock.now().uptimeMilliseconds)
        apply([])
        refusedReports = []
        await parts.linkStateStore.recordConnection(info)
        await parts.brokerMover.handleConnected(info)
        await parts.remote.resetRetainedCheck()
        await parts.publisher.handleConnected(info)
        stateChanges.send()
        if parts.statusPublisher.isOutdated { parts.client.publish([parts.statusPublisher.statusMessage()]) }
        await downlink.commands.handleConnected()
        await parts.renewal.handleConnected()
        await parts.reporter.publishAgain()
        await recordPositionIfStale()
    }

    private func handleTraffic(_ bytes: Int64) async {
        await parts.publisher.handleTraffic(bytes)
        parts.statusPublisher.updateBudget(await parts.publisher.budgetState)
        parts.reporter.requestReport()
    }

    private func handleDisconnected(_ failure: LinkFailure, retryInSeconds: Double?) async {
        apply(
            problemDetector.handleDisconnected(failure, atUptimeMilliseconds: clock.now().uptimeMilliseconds))
        ownStatus.handleDisconnected()
        await parts.renewal.handleDisconnected()
        await parts.publisher.handleDisconnected(
            isByBroker: failure.canFollowMessage, retryInSeconds: retryInSeconds)
        stateChanges.send()
        await parts.remote.resetRetainedCheck()
    }

    /// Records a position if none was recorded for ``stalePositionSeconds``. The next live position of a parked vehicle
    /// may be hours away, and the broker's retained position should be fresh. One request at a time is enough, however
    /// often the link reconnects.
    private func recordPositionIfStale() async {
        guard positionTask == nil, let silent = await parts.pipeline.secondsSinceRecord,
            silent > Self.stalePositionSeconds
        else {
            return
        }
        positionTask = Task { [weak self, pipeline = parts.pipeline] in
            _ = await pipeline.currentPosition(
                samples: 1, timeoutSeconds: Self.positionTimeoutSeconds, isPersisted: true)
            await self?.clearPositionTask()
        }
    }

    private func clearPositionTask() { positionTask = nil }
}
