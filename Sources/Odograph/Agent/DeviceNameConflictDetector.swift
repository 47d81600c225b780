import Wire

/// Decides what an agent does about the messages that it hears on its own status topic.
///
/// Every status carries the run that it speaks of. A status of another run is the last word of the run before, or another
/// agent with the same name, as after copying a configuration. Two such agents have different client ids, so the broker
/// keeps both connections and the records of two vehicles become one.
struct DeviceNameConflictDetector {
    /// What the agent must do.
    enum Action: Equatable {
        /// The retained status is wrong: publish it again.
        case republishStatus
        /// Another agent is connected under this name: report that, and publish the status so that it learns the same.
        case raiseConflict
        /// No other agent is connected under this name any more.
        case clearConflict
    }

    /// More agents than this under one name are not told apart.
    private static let maximumRuns = 16

    private let runID: String
    /// The connection that each other run announced last.
    private var sessions: [String: Int64] = [:]

    /// - Parameter runID: identifies this run of the agent.
    init(runID: String) {
        self.runID = runID
    }

    /// Returns what follows from a status that was published during the connection. A retained one is from before it.
    mutating func handle(_ status: StatusMessage) -> [Action] {
        // An agent of an older version says no run: it is another one.
        let other = status.runID ?? ""
        if other == runID {
            // The will of an earlier connection of this run, which the broker publishes when it gives that one up.
            return status.state == .offline && status.reason == "connection_lost" ? [.republishStatus] : []
        }
        switch status.state {
        case .offline:
            let wasShared = !sessions.isEmpty
            sessions[other] = nil
            return wasShared && sessions.isEmpty ? [.republishStatus, .clearConflict] : [.republishStatus]
        case .online:
            // Each connection is answered once, so that two agents do not answer each other for ever.
            guard sessions[other] != status.session, sessions[other] != nil || sessions.count < Self.maximumRuns else {
                return []
            }
            sessions[other] = status.session
            return [.raiseConflict]
        }
    }

    /// The connection ended: what others say is not heard until the next one, which they answer.
    mutating func handleDisconnected() -> [Action] {
        guard !sessions.isEmpty else { return [] }
        sessions = [:]
        return [.clearConflict]
    }
}
