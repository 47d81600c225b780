import Link
import Logging
import Positioning
import Threads

/// Carries what the session says to whom it concerns.
struct LinkWatch: Sendable {
    /// After an outage of this length the position that the broker keeps is an old one, seconds.
    private static let freshSeconds = OutboxFlow.liveSeconds

    let parts: AgentParts
    /// The name of the connection at the broker.
    let clientID: String
    let downlink: Downlink
    let clock: any AgentClock
    let problems: ProblemBoard
    /// Counts the answers to probes.
    let answers: TurnCounter
    let logger: Logger

    /// Until the session ends.
    func run() async {
        var namesakes = NamesakeWatch()
        var calm: Task<Void, Never>?
        defer { calm?.cancel() }
        for await event in parts.session.events {
            switch event {
            case .connected(let info):
                namesakes.connected(atUptimeMilliseconds: clock.now().uptimeMilliseconds)
                calm = settleOnceCalm()
                await connected(info)
            case .disconnected(let failure, _):
                calm?.cancel()
                if namesakes.disconnected(failure, atUptimeMilliseconds: clock.now().uptimeMilliseconds) {
                    await complainOfNamesake()
                }
                await parts.publisher.disconnected()
                await parts.remote.connectionChanged()
                if failure != .byRequest { await problems.raise(.brokerUnreachable, "\(failure)") }
            case .acknowledged(let tokens):
                await parts.publisher.acknowledged(tokens)
                if tokens.contains(where: { $0 >= RemoteCommands.firstToken }) {
                    await downlink.commands.settled(tokens)
                }
            case .refused(let token, let code, let text):
                guard token < RemoteCommands.firstToken else {
                    await downlink.commands.settled([token])
                    continue
                }
                await parts.publisher.refused(token: token, reasonCode: code, text: text)
            case .message(let message): downlink.take(message)
            case .oversized(let topic, let bytes): downlink.takeOversized(topic: topic, bytes: bytes)
            case .subscribed(let filter, let refusal): await subscribed(filter, refusal)
            case .alive: answers.add()
            // What was on its way is still in the store; a new connection begins there.
            case .returned, .connecting: break
            }
        }
    }

    private func complainOfNamesake() async {
        let sentence =
            "the broker closes each connection soon after it stands: another client has the same id \"\(clientID)\", as "
            + "with a copied configuration or disk; give each device a name of its own, the broker's log says who connects"
        await problems.raise(.clientIDShared, sentence, at: .warning, in: logger)
    }

    /// A connection that stays shows that nobody else has the name.
    private func settleOnceCalm() -> Task<Void, Never> {
        let due = clock.now().uptimeMilliseconds + NamesakeWatch.calmMilliseconds
        return Task { [clock, problems] in
            do { try await clock.sleep(untilUptimeMilliseconds: due) } catch { return }
            await problems.settle(.clientIDShared)
        }
    }

    private func subscribed(_ filter: String, _ refusal: String?) async {
        guard let refusal else { return await downlink.granted(topic: filter) }
        await problems.raise(
            .subscriptionRefused,
            "the broker does not let this device listen to \(filter) (\(refusal)); check what it may read there")
    }

    private func connected(_ info: ConnectionInfo) async {
        await parts.memory.connected(info)
        await problems.settle(.brokerUnreachable)
        await parts.remote.connectionChanged()
        await parts.publisher.connected()
        await downlink.commands.connected()
        await parts.reporter.connected()
        guard let silent = await parts.recorder.secondsSinceRecord, silent > Self.freshSeconds else { return }
        // Nothing live may come for a long while: a parked vehicle says where it is, so that the broker keeps that.
        let recorder = parts.recorder
        Task { _ = await recorder.currentPosition(samples: 1, timeoutSeconds: 60, isPersisted: true) }
    }
}
