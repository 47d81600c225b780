import COdographMosquitto

/// The reason why a message is refused, by the reason codes of MQTT 5 (section 3.4.2.1).
package enum PublishRefusal: Hashable, Sendable {
    /// The client may not publish to the topic (0x87).
    case notAuthorized
    /// The broker does not accept the topic (0x90).
    case topicNameInvalid
    /// The message is longer than the broker allows (0x95).
    case packetTooLarge
    /// A quota of the broker is reached (0x97).
    case quotaExceeded
    /// The payload does not have the declared format (0x99).
    case payloadFormatInvalid
    /// The broker does not support retained messages (0x9A).
    case retainNotSupported
    /// The broker does not support the QoS of the message (0x9B).
    case qosNotSupported
    /// Another reason.
    case other(reasonCode: Int)

    private static let known: [Int: PublishRefusal] = [
        0x87: .notAuthorized, 0x90: .topicNameInvalid, 0x95: .packetTooLarge, 0x97: .quotaExceeded,
        0x99: .payloadFormatInvalid, 0x9A: .retainNotSupported, 0x9B: .qosNotSupported,
    ]

    /// Creates the refusal for a reason code.
    package init(reasonCode: Int) {
        self = Self.known[reasonCode] ?? .other(reasonCode: reasonCode)
    }

    /// The reason code; 0x80 to 0xFF.
    package var reasonCode: Int {
        if case .other(let code) = self { return code }
        return Self.known.first { $0.value == self }?.key ?? 0x80
    }

    /// Creates the refusal for a library code; nil if the error is about the connection and not the message.
    init?(libraryCode code: Int32) {
        switch mosq_err_t(code) {
        case MOSQ_ERR_INVAL, MOSQ_ERR_MALFORMED_UTF8: self = .topicNameInvalid
        case MOSQ_ERR_PAYLOAD_SIZE, MOSQ_ERR_OVERSIZE_PACKET: self = .packetTooLarge
        case MOSQ_ERR_QOS_NOT_SUPPORTED: self = .qosNotSupported
        case MOSQ_ERR_RETAIN_NOT_SUPPORTED: self = .retainNotSupported
        case MOSQ_ERR_NOT_SUPPORTED: self = .other(reasonCode: 0x83)
        default: return nil
        }
    }
}
