/// The delivery guarantee of a message.
package enum QualityOfService: Int32, Sendable {
    /// Sent once, without an acknowledgement.
    case atMostOnce = 0
    /// Sent until the broker acknowledges it.
    case atLeastOnce = 1
}

/// A message to the broker.
package struct OutgoingMessage: Sendable {
    /// The properties that only MQTT 5 supports; with 3.1.1 they are left out.
    package struct Properties: Sendable, Hashable {
        /// The data that the response must contain.
        package var correlationData: [UInt8]?
        /// The MIME type of the payload.
        package var contentType: String?
        /// The seconds after which the broker need not deliver the message.
        package var messageExpirySeconds: UInt32?
        /// The topic for the response.
        package var responseTopic: String?
        /// Pairs of strings for the receivers. A name can occur more than once.
        package var userProperties: [IncomingMessage.UserProperty]

        /// Creates properties.
        package init(
            correlationData: [UInt8]? = nil, contentType: String? = nil, messageExpirySeconds: UInt32? = nil,
            responseTopic: String? = nil, userProperties: [IncomingMessage.UserProperty] = []
        ) {
            self.correlationData = correlationData
            self.contentType = contentType
            self.messageExpirySeconds = messageExpirySeconds
            self.responseTopic = responseTopic
            self.userProperties = userProperties
        }
    }

    /// The caller's identifier for the message in later events; nil if the caller does not need its outcome.
    package var token: UInt64?
    /// The topic, without wildcards.
    package var topic: String
    /// The payload.
    package var payload: [UInt8]
    /// The delivery guarantee.
    package var qos: QualityOfService
    /// Whether the broker keeps the message for later subscribers.
    package var isRetained: Bool
    /// Whether all messages that are not bulk are sent before this one.
    package var isBulk: Bool
    /// The properties that only MQTT 5 supports.
    package var properties: Properties?

    /// Creates a message.
    package init(
        token: UInt64? = nil, topic: String, payload: [UInt8], qos: QualityOfService = .atLeastOnce,
        isRetained: Bool = false, isBulk: Bool = false, properties: Properties? = nil
    ) {
        self.token = token
        self.topic = topic
        self.payload = payload
        self.qos = qos
        self.isRetained = isRetained
        self.isBulk = isBulk
        self.properties = properties
    }
}

extension OutgoingMessage {
    /// Returns the message that deletes what the broker retains for a topic: an empty one, retained (MQTT 5, 3.3.1.3).
    package static func deletingRetained(_ topic: String) -> OutgoingMessage {
        OutgoingMessage(topic: topic, payload: [], isRetained: true)
    }
}
