import OdographWire

/// Decides how an agent reacts to the messages on its own status topic.
///
/// Every status contains the ID of its run. A status of another run is the last message of the previous run, or comes
/// from another agent with the same name, for example after a configuration was copied. Two such agents have different
/// client IDs, so the broker keeps both connections and the records of two vehicles are mixed.
struct DeviceNameConflictDetector {
    /// A reaction of the agent.
    enum Action: Equatable {
        /// The retained status is wrong: publish the status again.
        case republishStatus
        /// Another agent is connected under this name: raise a problem, and publish the status so that the other agent
        /// detects it too.
        case raiseConflict
        /// No other agent is connected under this name any longer: clear the problem.
        case clearConflict
    }

    /// The maximum number of other runs. Statuses of further ones are ignored.
    private static let maximumRuns = 16

    private let runID: String
    /// The newest connection number of each other run.
    private var connections: [String: Int64] = [:]

    init(runID: String) {
        self.runID = runID
    }

    /// Returns the reactions to a status that was published during the connection. A retained status is older and must
    /// not be passed.
    mutating func handle(_ status: StatusMessage) -> [Action] {
        let other = status.runID
        if other == runID {
            // The will of an earlier connection of this run. The broker publishes it when it ends that connection.
            return status.state == .offline && status.reason == .connectionLost ? [.republishStatus] : []
        }
        switch status.state {
        case .offline:
            let wasShared = !connections.isEmpty
            connections[other] = nil
            return wasShared && connections.isEmpty ? [.republishStatus, .clearConflict] : [.republishStatus]
        case .online:
            // Each connection is answered once, so that two agents do not answer each other without end.
            guard connections[other] != status.connection,
                connections[other] != nil || connections.count < Self.maximumRuns
            else {
                return []
            }
            connections[other] = status.connection
            return [.raiseConflict]
        // A state of a later version says nothing about a second agent.
        default: return []
        }
    }

    /// Returns the reactions to the end of the connection. Other agents answer the next one.
    mutating func handleDisconnected() -> [Action] {
        guard !connections.isEmpty else { return [] }
        connections = [:]
        return [.clearConflict]
    }
}
