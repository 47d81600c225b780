import OdographCivilTime
import OdographLink
import OdographJSON
import OdographModel
import OdographPositioning
import OdographSettings
import OdographThreads
import OdographWire

/// Creates the status messages: the connect message of each connection, its last will, and the disconnect message.
final class StatusPublisher: Sendable {
    private struct State {
        var connection: Int64 = 0
        var problems: [Problem] = []
        /// The problems in the newest status of an online agent.
        var stated: [Problem] = []
        var budget: BudgetState?
    }

    /// The identifier of this run in every status. It is public; the client ID is not.
    let runID = RandomIdentifier.make()
    private let address: DeviceAddress
    private let clock: any AgentClock
    private let state = Lock(State())

    init(address: DeviceAddress, clock: any AgentClock) {
        self.address = address
        self.clock = clock
    }

    /// Returns the last will of a connection. It contains the number of the connection, so that a late will is
    /// recognised.
    func willMessage(connection: Int) -> OutgoingMessage {
        message(.offline, reason: .connectionLost, connection: Int64(connection))
    }

    func connectMessage(connection: Int) -> OutgoingMessage {
        state.withLock { $0.connection = Int64(connection) }
        return message(.online, reason: .connected, connection: Int64(connection))
    }

    /// Sets the problems of later statuses. They never include ``Problem/Code/brokerUnreachable``: a status that
    /// arrives came through the broker.
    /// - Returns: Whether the published problems have changed.
    @discardableResult
    func updateProblems(_ problems: [Problem]) -> Bool {
        let published = problems.filter { $0.code != .brokerUnreachable }
        return state.withLock { state in
            defer { state.problems = published }
            return state.problems != published
        }
    }

    /// Whether the newest status lacks a change of the problems: it came after the connect message was made, and before
    /// the agent knew that it is connected.
    var isOutdated: Bool { state.withLock { $0.problems != $0.stated } }

    /// Sets the budget of later statuses.
    func updateBudget(_ budget: BudgetState?) { state.withLock { $0.budget = budget } }

    /// Returns the current status.
    func statusMessage() -> OutgoingMessage {
        message(.online, reason: .connected, connection: state.withLock { $0.connection })
    }

    /// Returns the last status of a run. No report follows that could say what the vehicle still has.
    /// - Parameter queue: The records that wait; nil if the store does not say.
    func disconnectMessage(_ queue: QueueState?) -> OutgoingMessage {
        message(.offline, reason: .stopped, connection: state.withLock { $0.connection }, queue)
    }

    private func message(
        _ state: StatusMessage.State, reason: StatusMessage.Reason, connection: Int64, _ queue: QueueState? = nil
    ) -> OutgoingMessage {
        let (problems, budget) = self.state.withLock { known in
            if state == .online { known.stated = known.problems }
            return (known.problems, known.budget)
        }
        let status = StatusMessage(
            deviceID: address.device, state: state, reason: reason, connection: connection, bootID: Boot.id ?? "",
            runID: runID, version: Build.version, timestamp: clock.now().systemTime,
            problems: problems.isEmpty ? nil : problems, budget: reason == .connectionLost ? nil : budget, queue: queue)
        return OutgoingMessage(
            topic: address.topic(.status), payload: JSONCoder.payload(of: status).bytes,
            isRetained: UplinkChannel.status.isRetained)
    }
}
