/// An error of a control socket that cannot be created or reached.
public struct ControlError: Error, Hashable, CustomStringConvertible {
    /// The kind of an error.
    public enum Kind: Hashable, Sendable {
        /// No agent runs.
        case noAgent
        /// The agent does not answer.
        case noAnswer
        /// The user may not access the socket.
        case noPermission
        /// Another agent uses the socket.
        case inUse
        /// A different agent than the requested one answers.
        case otherAgent
        /// The socket cannot be created.
        case unusable
    }

    /// The kind of error.
    public let kind: Kind
    /// The error and its correction.
    public let description: String

    package init(_ kind: Kind, description: String) {
        self.kind = kind
        self.description = description
    }
}
