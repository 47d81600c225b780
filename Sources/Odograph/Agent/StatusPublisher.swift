import CivilTime
import Link
import OdographJSON
import Positioning
import Threads
import Wire

/// Says whether the agent is connected: the birth of each connection, its last will, and the farewell.
final class StatusPublisher: Sendable {
    private struct State {
        var session: Int64 = 0
        var problems: [Problem] = []
    }

    /// Identifies this run of the agent in every status. It is public; the client id is not.
    let runID = RandomIdentifier.make()
    private let address: DeviceAddress
    private let clock: any AgentClock
    private let state = Lock(State())

    init(address: DeviceAddress, clock: any AgentClock) {
        self.address = address
        self.clock = clock
    }

    /// The last will of a connection: it carries the connection's number, so that a late one is recognised.
    func willMessage(session: Int) -> OutgoingMessage {
        message(.offline, reason: "connection_lost", session: Int64(session))
    }

    func connectMessage(session: Int) -> OutgoingMessage {
        state.withLock { $0.session = Int64(session) }
        return message(.online, reason: "connected", session: Int64(session))
    }

    /// The problems are these now; every later status says them, save that the broker cannot be reached: whoever hears
    /// of a status hears it from there.
    /// - Returns: whether a status would say anything else than before.
    @discardableResult
    func updateProblems(_ problems: [Problem]) -> Bool {
        let published = problems.filter { $0.code != ProblemCode.brokerUnreachable.rawValue }
        return state.withLock { state in
            defer { state.problems = published }
            return state.problems != published
        }
    }

    /// The status once more.
    func statusMessage() -> OutgoingMessage {
        message(.online, reason: "connected", session: state.withLock { $0.session })
    }

    func disconnectMessage() -> OutgoingMessage {
        message(.offline, reason: "stopped", session: state.withLock { $0.session })
    }

    private func message(_ state: StatusMessage.State, reason: String, session: Int64) -> OutgoingMessage {
        let problems = self.state.withLock { $0.problems }
        let status = StatusMessage(
            state: state, reason: reason, session: session, bootID: Boot.id ?? "", runID: runID,
            version: Build.version, timestamp: clock.now().systemTime, problems: problems.isEmpty ? nil : problems)
        return OutgoingMessage(
            topic: address.topic(.status), payload: JSONCoder.payload(of: status).bytes, isRetained: true)
    }
}
