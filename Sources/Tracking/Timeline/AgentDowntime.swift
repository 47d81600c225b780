import CivilTime

/// That the agent, or the machine, was off since the last position.
struct AgentDowntime: Equatable, Sendable, Codable {
    /// When it was started again; nil where nobody knew the time then.
    var end: Timestamp?
}
