/// A control socket that cannot be made or reached.
public struct ControlError: Error, Hashable, CustomStringConvertible {
    /// What kind of failure it is.
    public enum Kind: Hashable, Sendable {
        /// There is no agent.
        case noAgent
        /// There is one, and it does not answer.
        case noAnswer
        /// This user may not ask it.
        case noPermission
        /// Another agent has the socket.
        case inUse
        /// Another agent than the one that was asked for answers there.
        case otherAgent
        /// There can be no socket here.
        case unusable
    }

    /// What kind of failure it is.
    public let kind: Kind
    /// What is wrong, and what would be right.
    public let description: String

    package init(_ kind: Kind, description: String) {
        self.kind = kind
        self.description = description
    }
}
