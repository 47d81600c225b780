/// The configuration of a client: the brokers, the client's identity, and the timeouts.
package struct LinkConfiguration: Sendable {
    /// The transport to the broker.
    package enum Transport: Hashable, Sendable {
        /// No encryption: for loopback, or if the caller permits it.
        case plain
        /// TLS, at least version 1.2. The certificate and the host name are always verified.
        case tls(TLSSettings)
    }

    /// One broker.
    package struct Endpoint: Hashable, Sendable {
        /// The host name or IP address (IPv6 without brackets).
        package var host: String
        /// The TCP port, 1 to 65535.
        package var port: UInt16
        /// Plain text or TLS.
        package var transport: Transport

        /// - Parameters: As the properties of the same names.
        package init(host: String, port: UInt16, transport: Transport) {
            self.host = host
            self.port = port
            self.transport = transport
        }

        /// - Parameters:
        ///   - url: The broker's address.
        ///   - tls: The TLS settings, used if the address begins with `mqtts://`.
        package init(_ url: BrokerURL, tls: TLSSettings) {
            self.init(host: url.host, port: url.port, transport: url.isSecure ? .tls(tls) : .plain)
        }

        /// The address with its port, as ``BrokerURL`` writes it.
        package var address: String {
            let isSecure = if case .plain = transport { false } else { true }
            return BrokerURL.text(host: host, port: port, isSecure: isSecure)
        }
    }

    /// The broker of the first attempt.
    package var endpoint: Endpoint
    /// The brokers that are tried in this order after the first one, see ``BrokerRotation``.
    package var alternatives: [Endpoint] = []
    /// All brokers, at least one, in the order in which they are tried.
    package var endpoints: [Endpoint] {
        get { [endpoint] + alternatives }
        set { (endpoint, alternatives) = (newValue[0], Array(newValue.dropFirst())) }
    }
    /// The client id. It must be unique at the broker: a second session with the same id ends the first.
    package var clientID: String
    /// The user name; nil for none.
    package var username: String?
    /// The password; nil for none.
    package var password: Secret?
    /// The seconds of silence before a ping, 5 to 65535. The broker closes the connection after 1.5 times as long.
    package var keepAliveSeconds = 60
    /// The longest time in which a dead connection is detected, in seconds; nil for a fixed interval. If it is more
    /// than 30 s above ``keepAliveSeconds``, the client announces it to the broker and finds the interval that the
    /// network tolerates. The broker then publishes the last will only after 1.5 times this time.
    package var keepAliveMaximumSeconds: Int?
    /// The knowledge of an earlier client about the interval; nil for none.
    package var rememberedKeepAlive: KeepAliveMemory?
    /// The bounds of the interval in place of those that follow from the seconds above, for tests.
    var keepAliveLimitsOverride: KeepAliveLimits?
    /// The choice of the MQTT version.
    package var protocolPreference = ProtocolPreference.automatic
    /// Whether the broker accepted MQTT 5 in an earlier run. A closed connection is then no reason to try 3.1.1 at
    /// once.
    package var hasSpokenVersion5 = false
    /// Whether the broker discards the subscriptions and queued messages of an earlier connection.
    package var cleanStart = true
    /// The seconds for which the broker keeps the session after a connection ends (MQTT 5); 0 for not at all.
    package var sessionExpirySeconds: UInt32 = 0
    /// The largest number of unacknowledged messages, 1 to 1000. The broker may ask for fewer.
    package var maximumInFlight = 1000
    /// The largest size of the unacknowledged messages together, in bytes, ≥ 1; nil for no bound. A longer message is
    /// sent alone.
    package var maximumInFlightBytes: Int?
    /// The largest size of a message with its topic and header, in bytes; nil for the broker's own limit only (MQTT 5).
    /// A larger message is refused.
    package var maximumMessageBytes: Int?
    /// The caps on what the client publishes in a second.
    package var rateLimits = RateLimits()
    /// The upper bound of the first delay before a new attempt, in seconds.
    package var backoffMinimumSeconds = 1.0
    /// The upper bound of every delay before a new attempt, in seconds.
    package var backoffMaximumSeconds = 100.0
    /// The seconds that a connection must have lasted to reset the delays.
    package var backoffResetSeconds = 60.0
    /// The seconds of a connection to another broker than the first one until the client looks whether the first one
    /// accepts connections. The time doubles with each look.
    var shortestLookSeconds = Double(BrokerRotation.shortestLookMilliseconds) / 1000
    /// The seconds without an answer to the oldest message or subscription until the connection is dropped.
    package var acknowledgementTimeoutSeconds = 30.0
    /// The seconds from the start of an attempt to CONNACK.
    package var connectTimeoutSeconds = 20.0
    /// The longest accepted payload, in bytes. A longer one is only reported.
    package var maximumIncomingBytes = 1 << 20
    /// The bytes by which a packet may be longer than ``maximumIncomingBytes``. An MQTT 5 broker does not send a longer
    /// packet. mosquitto (2.0.11 to 2.1.2) counts it as unacknowledged for as long as the connection lasts: after
    /// twenty of them it can stop sending. So a client that reads what strangers publish accepts all that their broker
    /// does.
    package var incomingRoomBytes = 65_536 + 1024

    /// Creates a configuration with defaults for the other properties.
    package init(host: String, port: UInt16, transport: Transport, clientID: String) {
        endpoint = Endpoint(host: host, port: port, transport: transport)
        self.clientID = clientID
    }

    /// - Parameters:
    ///   - url: The broker's address.
    ///   - tls: The TLS settings, used if the address begins with `mqtts://`.
    ///   - clientID: The client id.
    package init(url: BrokerURL, tls: TLSSettings = TLSSettings(), clientID: String) {
        endpoint = Endpoint(url, tls: tls)
        self.clientID = clientID
    }

    /// The configuration with each value limited to the range that the library supports.
    var clamped: LinkConfiguration {
        var copy = self
        copy.keepAliveSeconds = min(max(keepAliveSeconds, 5), 65_535)
        copy.keepAliveMaximumSeconds = keepAliveMaximumSeconds.map { min(max($0, copy.keepAliveSeconds), 65_535) }
        copy.maximumInFlight = min(max(maximumInFlight, 1), 1000)
        copy.maximumInFlightBytes = maximumInFlightBytes.map { max($0, 1) }
        copy.rateLimits = rateLimits.clamped
        copy.maximumIncomingBytes = min(max(maximumIncomingBytes, 1024), 256 << 20)
        copy.backoffMinimumSeconds = max(backoffMinimumSeconds, 0.01)
        copy.backoffMaximumSeconds = max(backoffMaximumSeconds, copy.backoffMinimumSeconds)
        return copy
    }

    /// The keep-alive interval that CONNECT announces, in seconds. It is not longer than needed, because the last will
    /// waits for it.
    var announcedKeepAliveSeconds: Int {
        guard let keepAliveMaximumSeconds,
            KeepAliveLimits(shortestSeconds: keepAliveSeconds, announcedSeconds: keepAliveMaximumSeconds) != nil
        else { return keepAliveSeconds }
        return keepAliveMaximumSeconds
    }

    /// Returns the bounds in which the keep-alive adapts; nil if it does not.
    /// - Parameter announced: The interval that the broker accepted, in milliseconds; 0 for none.
    func keepAliveLimits(announcedMilliseconds announced: Int64) -> KeepAliveLimits? {
        if let keepAliveLimitsOverride { return keepAliveLimitsOverride }
        guard keepAliveMaximumSeconds != nil else { return nil }
        // A broker that expects no packets sets no bound.
        let seconds = announced == 0 ? announcedKeepAliveSeconds : Int(announced / 1000)
        return KeepAliveLimits(shortestSeconds: keepAliveSeconds, announcedSeconds: seconds)
    }
}

/// The choice of the MQTT version.
public enum ProtocolPreference: String, Sendable, CaseIterable {
    /// MQTT 5, or 3.1.1 if the broker does not support it.
    case automatic
    /// MQTT 5 only.
    case v5
    /// MQTT 3.1.1 only.
    case v311
}

/// A version of MQTT.
package enum MQTTVersion: String, Hashable, Sendable, Codable {
    /// MQTT 5.
    case v5 = "5"
    /// MQTT 3.1.1.
    case v311 = "3.1.1"
}

/// The trusted authorities and the client certificate of a TLS connection.
public struct TLSSettings: Sendable, Hashable {
    /// A PEM file of trusted authorities. If `caFolder` is nil too, the system's authorities are trusted.
    public var caFile: String?
    /// A folder of trusted authorities, prepared by `c_rehash`.
    public var caFolder: String?
    /// This client's certificate chain, in PEM; requires `keyFile`.
    public var certificateFile: String?
    /// The private key of that certificate, in PEM, without a passphrase.
    public var keyFile: String?
    /// The protocol name that the client offers (ALPN, RFC 7301), 1 to 254 bytes; nil for none. A server on port 443
    /// recognises MQTT by it.
    public var alpn: String?

    /// Creates TLS settings.
    public init(
        caFile: String? = nil, caFolder: String? = nil, certificateFile: String? = nil, keyFile: String? = nil,
        alpn: String? = nil
    ) {
        self.caFile = caFile
        self.caFolder = caFolder
        self.certificateFile = certificateFile
        self.keyFile = keyFile
        self.alpn = alpn
    }
}
