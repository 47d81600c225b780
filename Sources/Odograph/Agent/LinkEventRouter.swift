import Link
import Logging
import Positioning
import Threads

/// Passes each event of the session to the part of the agent that it concerns.
actor LinkEventRouter {
    /// After an outage of this length the position that the broker keeps is an old one, seconds.
    private static let stalePositionSeconds = PublishFlowControl.liveSeconds
    /// A position that is recorded for a new connection is waited for this long, seconds.
    private static let positionTimeoutSeconds = 60.0

    private let session: MQTTSession
    private let publisher: Publisher
    private let recorder: Recorder
    private let remote: RemoteConfiguration
    private let reporter: ReportPublisher
    private let linkStateStore: LinkStateStore
    private let downlink: DownlinkRouter
    private let clock: any AgentClock
    private let problems: ProblemRegistry
    /// Counts the answers to probes.
    private let probeResponses: HeartbeatCounter
    private let logger: Logger

    private var ownStatus: OwnStatusMonitor
    private var problemDetector = LinkProblemDetector()
    /// Waits until time alone changes the problems of the link.
    private var timer: (task: Task<Void, Never>, dueUptimeMilliseconds: Int64)?
    private var positionTask: Task<Void, Never>?
    /// The topics that the broker has refused and not granted since.
    private var refusedTopics: Set<String> = []

    /// - Parameters:
    ///   - ownStatus: listens to the agent's own status topic.
    ///   - answers: counts the answers to probes.
    init(
        session: MQTTSession, publisher: Publisher, recorder: Recorder, remote: RemoteConfiguration,
        reporter: ReportPublisher, linkStateStore: LinkStateStore, ownStatus: OwnStatusMonitor,
        downlink: DownlinkRouter, clock: any AgentClock,
        problems: ProblemRegistry,
        probeResponses: HeartbeatCounter, logger: Logger
    ) {
        self.session = session
        self.publisher = publisher
        self.recorder = recorder
        self.remote = remote
        self.reporter = reporter
        self.linkStateStore = linkStateStore
        self.ownStatus = ownStatus
        self.downlink = downlink
        self.clock = clock
        self.problems = problems
        self.probeResponses = probeResponses
        self.logger = logger
    }

    /// Handles events until the session ends.
    func run() async {
        for await event in session.events { await handle(event) }
        timer?.task.cancel()
        positionTask?.cancel()
        await positionTask?.value
    }

    private func handle(_ event: LinkEvent) async {
        switch event {
        case .connected(let info): await handleConnected(info)
        case .disconnected(let failure, _): await handleDisconnected(failure)
        case .acknowledged(let tokens):
            apply(problemDetector.handleBrokerResponse())
            await publisher.handleAcknowledged(tokens)
            if tokens.contains(where: { $0 >= RemoteCommands.firstAnswerToken }) {
                await downlink.commands.completeDelivery(tokens)
            }
        case .refused(let token, let reason, let text):
            guard token < RemoteCommands.firstAnswerToken else {
                return await downlink.commands.completeDelivery([token])
            }
            await publisher.handleRefused(token: token, reason: reason, text: text)
        case .acknowledgementsMissing(let tokens):
            await publisher.handleUnacknowledged(tokens)
            // The broker has read past these answers; who still needs one asks again.
            await downlink.commands.completeDelivery(tokens)
        case .message(let message) where message.topic == ownStatus.topic: ownStatus.handle(message)
        case .message(let message): downlink.route(message)
        case .oversized(let topic, let bytes): downlink.routeOversized(topic: topic, bytes: bytes)
        case .subscribed(let filter, let refusal): await handleSubscribed(filter, refusal)
        case .probeAnswered: probeResponses.increment()
        // What was on its way is still in the store; a new connection begins there.
        case .unacknowledged, .connecting: break
        }
    }

    /// Raises and settles problems, and waits for the next change that time alone makes.
    private func apply(_ changes: [LinkProblemDetector.Change]) {
        for change in changes {
            switch change {
            case .raise(.brokerUnreachable, let text):
                // The session logs each failure by itself.
                problems.raise(.brokerUnreachable, text)
            case .raise(let code, let text): problems.raise(code, text, at: .warning, in: logger)
            case .clear(let code): problems.clear(code)
            }
        }
        let due = problemDetector.dueUptimeMilliseconds
        guard due != timer?.dueUptimeMilliseconds else { return }
        timer?.task.cancel()
        timer = due.map { due in
            let task = Task { [weak self, clock] in
                do { try await clock.sleep(untilUptimeMilliseconds: due) } catch { return }
                await self?.handleTimer()
            }
            return (task, due)
        }
    }

    private func handleTimer() {
        // Another wait may have taken this one's place before its turn came.
        guard !Task.isCancelled else { return }
        timer = nil
        apply(problemDetector.tick(atUptimeMilliseconds: clock.now().uptimeMilliseconds))
    }

    private func handleSubscribed(_ filter: String, _ refusal: String?) async {
        apply(problemDetector.handleBrokerResponse())
        guard let refusal else {
            if refusedTopics.remove(filter) != nil, refusedTopics.isEmpty { problems.clear(.subscriptionRefused) }
            return await downlink.handleSubscribed(topic: filter)
        }
        guard filter != ownStatus.topic else {
            // A broker whose rules are older than this: only the check of the agent's own status is missing.
            return logger.notice("the broker does not let this device read its own \(filter) (\(refusal))")
        }
        refusedTopics.insert(filter)
        problems.raise(
            .subscriptionRefused,
            "the broker does not let this device listen to \(filter) (\(refusal)); check what it may read there")
    }

    private func handleConnected(_ info: ConnectionInfo) async {
        problemDetector.handleConnected(atUptimeMilliseconds: clock.now().uptimeMilliseconds)
        apply([])
        await linkStateStore.recordConnection(info)
        await remote.resetRetainedCheck()
        await publisher.handleConnected(info)
        await downlink.commands.handleConnected()
        await reporter.handleConnected()
        await recordPositionIfStale()
    }

    private func handleDisconnected(_ failure: LinkFailure) async {
        apply(
            problemDetector.handleDisconnected(failure, atUptimeMilliseconds: clock.now().uptimeMilliseconds))
        ownStatus.handleDisconnected()
        await publisher.handleDisconnected()
        await remote.resetRetainedCheck()
    }

    /// Records a position where none was recorded for a while: the next live one of a parked vehicle may be hours away, and
    /// the broker's retained position is to be a fresh one. One such request is enough, however often the link comes back.
    private func recordPositionIfStale() async {
        guard positionTask == nil, let silent = await recorder.secondsSinceRecord,
            silent > Self.stalePositionSeconds
        else {
            return
        }
        positionTask = Task { [weak self, recorder] in
            _ = await recorder.currentPosition(
                samples: 1, timeoutSeconds: Self.positionTimeoutSeconds, isPersisted: true)
            await self?.clearPositionTask()
        }
    }

    private func clearPositionTask() { positionTask = nil }
}
