import OdographCivilTime
import OdographCompression
import OdographLink
import OdographWire

/// A request as it arrived, with the way for its answer.
struct PendingRequest: Hashable, Sendable {
    /// The longest accepted correlation data, bytes.
    static let maximumCorrelationBytes = 1024
    /// The seconds after which the broker need not deliver a part of an answer (MQTT 5): no page waits for so long.
    private static let expirySeconds: UInt32 = 300

    /// The asking person.
    let address: HistoryAddress
    /// The identifier of the request.
    let id: String
    /// When the recorder received it.
    let received: Timestamp
    /// The topic of the answer.
    private(set) var answerTopic: String
    /// The data that each part of the answer repeats (MQTT 5).
    private(set) var correlationData: [UInt8]?
    /// The mistake in the properties of the message; nil if there is none.
    private(set) var mistake: HistoryRefusal?

    /// Creates the request of a message; nil for a message that is not a request, or is retained: a broker would
    /// deliver it again after each connection.
    init?(_ message: IncomingMessage, root: String, received: Timestamp) {
        guard !message.isRetained else { return nil }
        self.init(topic: message.topic, root: root, received: received)
        if let data = message.correlationData {
            if data.count <= Self.maximumCorrelationBytes {
                correlationData = data
            } else {
                mistake = HistoryRefusal(
                    .invalid, "the correlation data is longer than \(Self.maximumCorrelationBytes) bytes")
            }
        }
        if let topic = message.responseTopic {
            if address.isAnswerTopic(topic) {
                answerTopic = topic
            } else {
                // The recorder may publish where the person may not.
                mistake = HistoryRefusal(
                    .invalid, "the response topic must be \(address.answerTopic("NAME")) with a name of your choice")
            }
        }
    }

    /// Creates the request of a message of which only the topic is known.
    init?(topic: String, root: String, received: Timestamp) {
        guard let place = HistoryRequestTopic(topic, root: root) else { return nil }
        (address, id) = (place.address, place.id)
        self.received = received
        answerTopic = address.answerTopic(id)
    }

    /// Returns whether another request is the same one: a message can arrive twice.
    func isSame(as other: PendingRequest) -> Bool { address == other.address && id == other.id }

    /// Returns the message with a part of the answer.
    /// - Parameters:
    ///   - token: The identifier of the message in events of the session; nil if its end does not matter.
    ///   - isCompressed: Whether the person has asked for compressed parts.
    func message(_ part: HistoryAnswer, token: UInt64? = nil, isCompressed: Bool = false) -> OutgoingMessage {
        let compressed = isCompressed ? DeflateFormat.zlib.compressed(part.payload) : nil
        return OutgoingMessage(
            token: token, topic: answerTopic, payload: compressed ?? part.payload, isBulk: token != nil,
            properties: OutgoingMessage.Properties(
                correlationData: correlationData,
                contentType: compressed == nil ? "application/json" : "application/zlib",
                messageExpirySeconds: Self.expirySeconds))
    }
}
