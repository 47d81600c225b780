/// An event of a client. Each published token ends in exactly one of `acknowledged`, `refused` and `unacknowledged`.
package enum LinkEvent: Sendable {
    /// An attempt begins. The number counts the attempts since the last connection, from 1.
    case connecting(attempt: Int)
    /// The broker accepted the connection.
    case connected(ConnectionInfo)
    /// The attempt failed or the connection ended. The next attempt begins after this time; nil for none.
    case disconnected(LinkFailure, retryInSeconds: Double?)
    /// The broker acknowledged these messages, since the last such event.
    case acknowledged([UInt64])
    /// The broker or the library refused this message, and would refuse it again.
    case refused(token: UInt64, reason: PublishRefusal, text: String)
    /// The same for a message without a token.
    case refusedWithoutToken(topic: String, text: String)
    /// The broker did not acknowledge these messages in time, although it acknowledged later ones. The connection ends,
    /// and `unacknowledged` contains them too.
    case acknowledgementsMissing([UInt64])
    /// These messages were not acknowledged when the connection ended, or there was no connection. The broker may have
    /// received some of them. The caller decides whether to send them again.
    case unacknowledged([UInt64])
    /// A message of a subscription arrived.
    case message(IncomingMessage)
    /// A message was longer than allowed and was discarded.
    case oversized(topic: String, bytes: Int)
    /// The client learned something about the keep-alive interval. The owner should save it for the next start.
    case keepAliveLearned(KeepAliveMemory)
    /// So many bytes were sent and received since the last such event, see ``MQTTClient/countTraffic(reportBytes:)``.
    /// It comes after the number of bytes given there, within 10 min while there is traffic, and when a connection
    /// begins and ends.
    case traffic(bytes: Int64)
    /// The client's thread answered ``MQTTClient/probe()``: it is running.
    case probeAnswered
    /// The broker answered a subscription; `refusal` is nil if the broker granted it.
    case subscribed(filter: String, refusal: String?)
}

/// The parameters that the broker and the client agreed on.
package struct ConnectionInfo: Sendable, Hashable {
    /// The number of the attempt, counted over the life of the device. The last will has the same number.
    package var connectionNumber: Int
    /// The address of the broker, as ``BrokerURL`` writes it.
    package var broker: String
    /// The MQTT version in use. If it is MQTT 5, the caller should save that for ``LinkConfiguration/hasSpokenVersion5``.
    package var protocolVersion: MQTTVersion
    /// The highest QoS that the broker accepts: 0, 1 or 2. At 0 it acknowledges no message.
    package var maximumQoS: Int
    /// Whether the broker had a session of this client, with its subscriptions and queued messages.
    package var isSessionPresent: Bool
    /// The ends of the certificates by which the broker was known; nil without TLS.
    package var certificates: ServerCertificates?
}

/// A message from the broker.
package struct IncomingMessage: Sendable, Hashable {
    /// A pair of strings that the sender added (MQTT 5).
    package struct UserProperty: Sendable, Hashable {
        /// The name. A name can occur more than once.
        package var name: String
        /// The value.
        package var value: String

        /// - Parameters: As the properties of the same names.
        package init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// The topic.
    package var topic: String
    /// The payload.
    package var payload: [UInt8]
    /// Whether it is a retained message that was published before the subscription.
    package var isRetained: Bool
    /// The QoS: 0, 1 or 2.
    package var qos: Int
    /// The topic for the response (MQTT 5).
    package var responseTopic: String?
    /// The data that the response must contain (MQTT 5).
    package var correlationData: [UInt8]?
    /// The user properties (MQTT 5).
    package var userProperties: [UserProperty]
}
