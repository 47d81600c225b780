/// A password or a passphrase. However it is printed, interpolated or dumped, it says `<secret>`.
public struct Secret: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The secret itself, for whoever must hand it over. Never log it.
    public let revealed: String

    /// - Parameter revealed: The secret; it comes from a file or the environment, never from a command line.
    public init(_ revealed: String) {
        self.revealed = revealed
    }

    /// Always `<secret>`.
    public var description: String { "<secret>" }
    /// Always `<secret>`.
    public var debugDescription: String { "<secret>" }
    /// Nothing to look into.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
