/// A password or a passphrase. Printing, interpolation and `dump` show `<secret>`.
package struct Secret: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The secret itself. Never log it.
    package let revealed: String

    /// - Parameter revealed: The secret. It comes from a file or the environment, never from a command line.
    package init(_ revealed: String) {
        self.revealed = revealed
    }

    /// The text `<secret>`.
    package var description: String { "<secret>" }
    /// The text `<secret>`.
    package var debugDescription: String { "<secret>" }
    /// A mirror without children.
    package var customMirror: Mirror { Mirror(self, children: []) }
}
