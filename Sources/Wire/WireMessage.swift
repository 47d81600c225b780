import OdographJSON

/// A message that programs receive from outside.
package protocol WireMessage: Decodable {
    /// The bounds of its values.
    static var form: MessageForm { get }

    /// Reads a payload from outside.
    /// - Throws: ``MessageError`` for a payload that is not JSON, exceeds a bound of the contract, or is not such a
    ///   message.
    init(message payload: [UInt8]) throws(MessageError)
}

extension WireMessage {
    /// Checks the bounds, then decodes.
    package init(message payload: [UInt8]) throws(MessageError) {
        try Self.form.check(payload)
        do {
            self = try JSONCoder.decode(Self.self, from: payload)
        } catch {
            throw MessageError(error)
        }
    }
}

extension LocationMessage: WireMessage {
    package static let form: MessageForm = ["device_id": .free, "location": .locationEvent]
}

extension TimelineMessage: WireMessage {
    package static let form: MessageForm = ["device_id": .free, "timeline_event": .timelineEvent]
}

extension GivenUpMessage: WireMessage {
    package static let form: MessageForm = ["device_id": .free, "given_up": .givenUp]
}

extension StatusMessage: WireMessage {
    package static let form = MessageForm.status
}

extension ReportedMessage: WireMessage {
    package static let form = MessageForm.reported
}

extension NumbersMessage: WireMessage {
    package static let form = MessageForm.numbers
}

extension Receipt: WireMessage {
    package static let form = MessageForm.receipt
}

extension CommandResponse: WireMessage {
    package static let form = MessageForm.response
}
