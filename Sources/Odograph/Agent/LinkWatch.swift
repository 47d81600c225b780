import Link
import Logging
import Positioning
import Threads

/// Passes each event of the session to the part of the agent that it concerns.
actor LinkWatch {
    /// After an outage of this length the position that the broker keeps is an old one, seconds.
    private static let freshSeconds = OutboxFlow.liveSeconds
    /// A position that is recorded for a new connection is waited for this long, seconds.
    private static let positionSeconds = 60.0

    private let parts: AgentParts
    private let downlink: Downlink
    private let clock: any AgentClock
    private let problems: ProblemBoard
    /// Counts the answers to probes.
    private let answers: TurnCounter
    private let logger: Logger

    private var ownStatus: OwnStatus
    private var linkProblems = LinkProblems()
    /// Waits until time alone changes the problems of the link.
    private var timer: (task: Task<Void, Never>, dueUptimeMilliseconds: Int64)?
    private var position: Task<Void, Never>?
    /// The topics that the broker has refused and not granted since.
    private var refusedTopics: Set<String> = []

    /// - Parameters:
    ///   - ownStatus: listens to the agent's own status topic.
    ///   - answers: counts the answers to probes.
    init(
        parts: AgentParts, ownStatus: OwnStatus, downlink: Downlink, clock: any AgentClock, problems: ProblemBoard,
        answers: TurnCounter, logger: Logger
    ) {
        self.parts = parts
        self.ownStatus = ownStatus
        self.downlink = downlink
        self.clock = clock
        self.problems = problems
        self.answers = answers
        self.logger = logger
    }

    /// Handles events until the session ends.
    func run() async {
        for await event in parts.session.events { await handle(event) }
        timer?.task.cancel()
        position?.cancel()
        await position?.value
    }

    private func handle(_ event: LinkEvent) async {
        switch event {
        case .connected(let info): await connected(info)
        case .disconnected(let failure, _): await disconnected(failure)
        case .acknowledged(let tokens):
            apply(linkProblems.answered())
            await parts.publisher.acknowledged(tokens)
            if tokens.contains(where: { $0 >= RemoteCommands.firstToken }) {
                await downlink.commands.settled(tokens)
            }
        case .refused(let token, let reason, let text):
            guard token < RemoteCommands.firstToken else { return await downlink.commands.settled([token]) }
            await parts.publisher.refused(token: token, reason: reason, text: text)
        case .overtaken(let tokens):
            await parts.publisher.overtaken(tokens)
            // The broker has read past these answers; who still needs one asks again.
            await downlink.commands.settled(tokens)
        case .message(let message) where message.topic == ownStatus.topic: ownStatus.take(message)
        case .message(let message): downlink.take(message)
        case .oversized(let topic, let bytes): downlink.takeOversized(topic: topic, bytes: bytes)
        case .subscribed(let filter, let refusal): await subscribed(filter, refusal)
        case .alive: answers.add()
        // What was on its way is still in the store; a new connection begins there.
        case .returned, .connecting: break
        }
    }

    /// Raises and settles problems, and waits for the next change that time alone makes.
    private func apply(_ changes: [LinkProblems.Change]) {
        for change in changes {
            switch change {
            case .raise(.brokerUnreachable, let text):
                // The session logs each failure by itself.
                problems.raise(.brokerUnreachable, text)
            case .raise(let code, let text): problems.raise(code, text, at: .warning, in: logger)
            case .settle(let code): problems.settle(code)
            }
        }
        let due = linkProblems.dueUptimeMilliseconds
        guard due != timer?.dueUptimeMilliseconds else { return }
        timer?.task.cancel()
        timer = due.map { due in
            let task = Task { [weak self, clock] in
                do { try await clock.sleep(untilUptimeMilliseconds: due) } catch { return }
                await self?.timePassed()
            }
            return (task, due)
        }
    }

    private func timePassed() {
        // Another wait may have taken this one's place before its turn came.
        guard !Task.isCancelled else { return }
        timer = nil
        apply(linkProblems.tick(atUptimeMilliseconds: clock.now().uptimeMilliseconds))
    }

    private func subscribed(_ filter: String, _ refusal: String?) async {
        apply(linkProblems.answered())
        guard let refusal else {
            if refusedTopics.remove(filter) != nil, refusedTopics.isEmpty { problems.settle(.subscriptionRefused) }
            return await downlink.granted(topic: filter)
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

    private func connected(_ info: ConnectionInfo) async {
        linkProblems.connected(atUptimeMilliseconds: clock.now().uptimeMilliseconds)
        apply([])
        await parts.memory.connected(info)
        await parts.remote.connectionChanged()
        await parts.publisher.connected(info)
        await downlink.commands.connected()
        await parts.reporter.connected()
        await recordPositionAfterSilence()
    }

    private func disconnected(_ failure: LinkFailure) async {
        apply(
            linkProblems.disconnected(failure, atUptimeMilliseconds: clock.now().uptimeMilliseconds))
        ownStatus.disconnected()
        await parts.publisher.disconnected()
        await parts.remote.connectionChanged()
    }

    /// Records a position where none was recorded for a while: the next live one of a parked vehicle may be hours away, and
    /// the broker's retained position is to be a fresh one. One such request is enough, however often the link comes back.
    private func recordPositionAfterSilence() async {
        guard position == nil, let silent = await parts.recorder.secondsSinceRecord, silent > Self.freshSeconds else {
            return
        }
        position = Task { [weak self, recorder = parts.recorder] in
            _ = await recorder.currentPosition(
                samples: 1, timeoutSeconds: Self.positionSeconds, isPersisted: true)
            await self?.positionEnded()
        }
    }

    private func positionEnded() { position = nil }
}
