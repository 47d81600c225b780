/// A password or a passphrase. Printing, interpolation and `dump` show `<secret>`.
public struct Secret: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The secret itself. Never log it.
    public let revealed: String

    /// - Parameter revealed: The secret. It comes from a file or the environment, never from a command line.
    public init(_ revealed: String) {
        self.revealed = revealed
    }

    /// The text `<secret>`.
    public var description: String { "<secret>" }
    /// The text `<secret>`.
    public var debugDescription: String { "<secret>" }
    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
