import OdographWire

/// A record in a batch.
package struct BatchRecord: Hashable, Sendable {
    /// The channel of the record.
    package var channel: UplinkChannel
    /// The record's number in its epoch.
    package var seq: Int64
    /// The payload of the record's own message.
    package var payload: [UInt8]

    /// - Parameters: As the properties of the same names.
    package init(channel: UplinkChannel, seq: Int64, payload: [UInt8]) {
        self.channel = channel
        self.seq = seq
        self.payload = payload
    }
}

/// The reason why a batch cannot be read, as a sentence.
package struct BatchError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The sentence.
    package let description: String

    init(_ description: String) { self.description = description }
}
