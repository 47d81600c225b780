import OdographCivilTime

/// The part of a received message that the recorder stores.
package struct BatchEntry: Hashable, Sendable {
    /// The contents of an entry.
    package enum Content: Hashable, Sendable {
        /// A message that matches the contract.
        case message(VehicleMessage)
        /// A message that does not. `bytes` is the length of the whole payload, which can be longer than `payload`.
        case rejected(topic: String, payload: [UInt8], bytes: Int, reason: RejectionReason)
    }

    /// The contents.
    package var content: Content
    /// When the recorder received the message, by this machine's clock.
    package var received: Timestamp

    /// - Parameters: As the properties of the same names.
    package init(_ content: Content, received: Timestamp) {
        self.content = content
        self.received = received
    }
}

extension BatchEntry.Content {
    /// The size of the payload, as it is stored, bytes.
    var size: Int {
        switch self {
        case .message(let message): message.payload.utf8.count
        case .rejected(_, let payload, _, _): payload.count
        }
    }
}
