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
    /// The name of the connection at the broker.
    private let clientID: String
    private let downlink: Downlink
    private let clock: any AgentClock
    private let problems: ProblemBoard
    /// Counts the answers to probes.
    private let answers: TurnCounter
    private let logger: Logger

    private var namesakes = NamesakeWatch()
    private var calm: Task<Void, Never>?
    private var position: Task<Void, Never>?

    /// - Parameters:
    ///   - clientID: the name of the connection at the broker.
    ///   - answers: counts the answers to probes.
    init(
        parts: AgentParts, clientID: String, downlink: Downlink, clock: any AgentClock, problems: ProblemBoard,
        answers: TurnCounter, logger: Logger
    ) {
        self.parts = parts
        self.clientID = clientID
        self.downlink = downlink
        self.clock = clock
        self.problems = problems
        self.answers = answers
        self.logger = logger
    }

    /// Handles events until the session ends.
    func run() async {
        for await event in parts.session.events { await handle(event) }
        calm?.cancel()
        position?.cancel()
        await position?.value
    }

    private func handle(_ event: LinkEvent) async {
        switch event {
        case .connected(let info): await connected(info)
        case .disconnected(let failure, _): await disconnected(failure)
        case .acknowledged(let tokens):
            await parts.publisher.acknowledged(tokens)
            if tokens.contains(where: { $0 >= RemoteCommands.firstToken }) {
                await downlink.commands.settled(tokens)
            }
        case .refused(let token, let code, let text):
            guard token < RemoteCommands.firstToken else { return await downlink.commands.settled([token]) }
            await parts.publisher.refused(token: token, reasonCode: code, text: text)
        case .message(let message): downlink.take(message)
        case .oversized(let topic, let bytes): downlink.takeOversized(topic: topic, bytes: bytes)
        case .subscribed(let filter, let refusal): await subscribed(filter, refusal)
        case .alive: answers.add()
        // What was on its way is still in the store; a new connection begins there.
        case .returned, .connecting: break
        }
    }

    private func complainOfNamesake() {
        let sentence =
            "the broker closes each connection soon after it stands: another client has the same id \"\(clientID)\", as "
            + "with a copied configuration or disk; give each device a name of its own, the broker's log says who connects"
        problems.raise(.clientIDShared, sentence, at: .warning, in: logger)
    }

    /// Waits until a connection has stayed: that shows that no other client has the name.
    private func settleOnceCalm() {
        let due = clock.now().uptimeMilliseconds + NamesakeWatch.calmMilliseconds
        calm?.cancel()
        calm = Task { [weak self, clock] in
            do { try await clock.sleep(untilUptimeMilliseconds: due) } catch { return }
            await self?.settleNamesake()
        }
    }

    private func settleNamesake() {
        // The connection may have ended after the wait and before this turn of the actor.
        guard !Task.isCancelled else { return }
        problems.settle(.clientIDShared)
    }

    private func subscribed(_ filter: String, _ refusal: String?) async {
        guard let refusal else { return await downlink.granted(topic: filter) }
        problems.raise(
            .subscriptionRefused,
            "the broker does not let this device listen to \(filter) (\(refusal)); check what it may read there")
    }

    private func connected(_ info: ConnectionInfo) async {
        namesakes.connected(atUptimeMilliseconds: clock.now().uptimeMilliseconds)
        settleOnceCalm()
        problems.settle(.brokerUnreachable)
        await parts.memory.connected(info)
        await parts.remote.connectionChanged()
        await parts.publisher.connected()
        await downlink.commands.connected()
        await parts.reporter.connected()
        await recordPositionAfterSilence()
    }

    private func disconnected(_ failure: LinkFailure) async {
        calm?.cancel()
        if namesakes.disconnected(failure, atUptimeMilliseconds: clock.now().uptimeMilliseconds) {
            complainOfNamesake()
        }
        if failure != .byRequest { problems.raise(.brokerUnreachable, "\(failure)") }
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
