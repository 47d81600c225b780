/// An error of a change to an agent.
public enum AgentError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The agent does not run. Start it before the change.
    case notRunning

    /// The problem and the remedy.
    public var description: String { "the agent does not run; start it before the change" }
}
