import OdographWire

/// The reason why a message is rejected, as a sentence.
package struct RejectionReason: Error, Hashable, Sendable, CustomStringConvertible {
    /// The sentence.
    package let description: String

    /// - Parameter description: The sentence.
    package init(_ description: String) { self.description = description }

    /// Creates the reason from the error of a message.
    init(_ error: MessageError) { self.init(error.description) }
}
