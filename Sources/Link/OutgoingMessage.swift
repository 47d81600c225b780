/// How surely a message arrives.
public enum QualityOfService: Int32, Sendable {
    /// Sent once; nobody says whether it arrived.
    case atMostOnce = 0
    /// Sent until the broker acknowledges it.
    case atLeastOnce = 1
}

/// A message on its way to the broker.
public struct OutgoingMessage: Sendable {
    /// What only MQTT 5 carries; with 3.1.1 it is left out.
    public struct Properties: Sendable, Hashable {
        /// Returned to the requester unchanged.
        public var correlationData: [UInt8]?
        /// A MIME type.
        public var contentType: String?
        /// Seconds after which the broker need not deliver it any more.
        public var messageExpirySeconds: UInt32?
        /// Where an answer is awaited.
        public var responseTopic: String?

        /// - Parameters: as the properties of the same names.
        public init(
            correlationData: [UInt8]? = nil, contentType: String? = nil, messageExpirySeconds: UInt32? = nil,
            responseTopic: String? = nil
        ) {
            self.correlationData = correlationData
            self.contentType = contentType
            self.messageExpirySeconds = messageExpirySeconds
            self.responseTopic = responseTopic
        }
    }

    /// The caller's name for the message in later events; nil where the caller does not care what becomes of it.
    public var token: UInt64?
    /// The topic, without wildcards.
    public var topic: String
    /// The bytes.
    public var payload: [UInt8]
    /// How surely it arrives.
    public var qos: QualityOfService
    /// Whether the broker keeps it for those who subscribe later.
    public var isRetained: Bool
    /// Whether it gives way to all messages that are not: the one of many that may wait while others may not.
    public var isBulk: Bool
    /// What only MQTT 5 carries.
    public var properties: Properties?

    /// - Parameters: as the properties of the same names.
    public init(
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
