import OdographJSON

/// A message that programs receive from outside.
package protocol WireMessage: Decodable {
    /// The bounds of its values.
    static var form: MessageForm { get }

    /// Reads a payload from outside.
    /// - Throws: ``MessageError`` for a payload that is not JSON or exceeds a bound of the contract, `DecodingError`
    ///   for another one that is not such a message.
    init(message payload: [UInt8]) throws
}

extension WireMessage {
    /// Checks the bounds, then decodes.
    package init(message payload: [UInt8]) throws {
        try Self.form.check(payload)
        self = try JSONCoder.decode(Self.self, from: payload)
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
