/// What the session tells. Every token that was published ends in exactly one of `acknowledged`, `refused` and
/// `returned`.
public enum LinkEvent: Sendable {
    /// An attempt begins; the number counts attempts since the last connection, from 1.
    case connecting(attempt: Int)
    /// The broker has consented.
    case connected(ConnectionInfo)
    /// The attempt failed or the connection ended; the next attempt begins after so many seconds, or never (nil).
    case disconnected(LinkFailure, retryInSeconds: Double?)
    /// The broker has these: all that were acknowledged in one turn of the session's loop.
    case acknowledged([UInt64])
    /// The broker, or the library, will not have this one; sending it again would be refused again.
    case refused(token: UInt64, reason: PublishRefusal, text: String)
    /// The broker did not acknowledge these in time, although it acknowledged later ones. The connection ends, and `returned`
    /// has them too.
    case acknowledgementsMissing([UInt64])
    /// These were not acknowledged when the connection fell, or there was none: whether to send them again is the
    /// caller's decision. The broker may have some of them.
    case unacknowledged([UInt64])
    /// A message of a subscription.
    case message(IncomingMessage)
    /// A message was longer than allowed and was not taken in.
    case oversized(topic: String, bytes: Int)
    /// The answer to ``MQTTSession/probe()``: the session's thread goes on.
    case probeAnswered
    /// The broker's answer to a subscription; `refusal` is nil where it was granted.
    case subscribed(filter: String, refusal: String?)
}

/// What broker and session agreed on.
public struct ConnectionInfo: Sendable, Hashable {
    /// Counts attempts over the life of the device; the last will carries the same number.
    public var sessionNumber: Int
    /// The version of MQTT that is spoken: worth remembering.
    public var protocolVersion: MQTTVersion
    /// Whether the broker had kept the session of an earlier connection.
    public var isSessionPresent: Bool
    /// The most messages the broker lets wait for their acknowledgement.
    public var receiveMaximum: Int
    /// Bytes; nil where the broker names no limit.
    public var maximumPacketBytes: Int?
    /// The highest quality of service at which the broker takes messages: 0, 1 or 2. At 0 it acknowledges none.
    public var maximumQoS: Int
    /// Seconds; what the broker asked for, else what was configured.
    public var keepAliveSeconds: Int
    /// The client id the broker chose, where it was left to it.
    public var assignedClientID: String?
    /// Whether wildcards may be subscribed.
    public var isWildcardSubscriptionAvailable: Bool
    /// Whether the broker keeps retained messages.
    public var isRetainAvailable: Bool
}

/// A message from the broker.
public struct IncomingMessage: Sendable, Hashable {
    /// A pair of strings that the sender added (MQTT 5).
    public struct UserProperty: Sendable, Hashable {
        /// The name; may occur more than once.
        public var name: String
        /// The value.
        public var value: String
    }

    /// The topic it was published to.
    public var topic: String
    /// The bytes.
    public var payload: [UInt8]
    /// Whether the broker had kept it from before the subscription.
    public var isRetained: Bool
    /// 0, 1 or 2.
    public var qos: Int
    /// Where the sender awaits an answer (MQTT 5).
    public var responseTopic: String?
    /// What the answer must bring back (MQTT 5).
    public var correlationData: [UInt8]?
    /// Further pairs (MQTT 5).
    public var userProperties: [UserProperty]
}
