/// Where the broker is, who we are to it, and how long the session waits for what.
public struct LinkConfiguration: Sendable {
    /// Plain text, or TLS.
    public enum Transport: Sendable {
        /// No encryption: for loopback, or where the caller has decided that it may be.
        case plain
        /// TLS, version 1.2 at the least; certificate and host name are always verified.
        case tls(TLSSettings)
    }

    /// Which version of MQTT to speak.
    public enum ProtocolPreference: String, Sendable, CaseIterable {
        /// MQTT 5, and 3.1.1 where the broker does not know it.
        case automatic
        /// MQTT 5 only.
        case v5
        /// MQTT 3.1.1 only.
        case v311
    }

    /// Host name or IP address (IPv6 without brackets).
    public var host: String
    /// TCP port, 1 to 65535.
    public var port: UInt16
    /// Plain text or TLS.
    public var transport: Transport
    /// The client id; unique at its broker, for a second session with it ends the first.
    public var clientID: String
    /// The user's name, where the broker asks for one.
    public var username: String?
    /// The user's password.
    public var password: Secret?
    /// Seconds of silence after which a ping is due, 5 to 65535; the broker gives up at one and a half of it.
    public var keepAliveSeconds = 60
    /// Which version of MQTT to speak.
    public var protocolPreference = ProtocolPreference.automatic
    /// The version that worked last time: it is tried first where the preference is `.automatic`.
    public var rememberedVersion: MQTTVersion?
    /// Whether the broker forgets subscriptions and queued messages of an earlier connection.
    public var cleanStart = true
    /// Seconds for which the broker keeps the session after a connection ends (MQTT 5; 0: not at all).
    public var sessionExpirySeconds: UInt32 = 0
    /// The most messages that wait for their acknowledgement at a time, 1 to 1000. The broker may ask for fewer.
    public var window = 1000
    /// The upper bound, in seconds, of the first delay before a new attempt.
    public var backoffMinimumSeconds = 1.0
    /// The upper bound, in seconds, of every delay before a new attempt.
    public var backoffMaximumSeconds = 256.0
    /// Seconds that a session must have stayed for the delays to begin anew.
    public var backoffResetSeconds = 60.0
    /// Seconds for which the broker may leave the longest waiting message, or subscription, without an answer; then the
    /// connection is dropped.
    public var acknowledgementTimeoutSeconds = 30.0
    /// Seconds from the first packet of an attempt to the broker's consent.
    public var connectTimeoutSeconds = 20.0
    /// Bytes; a payload longer than this is not taken in but reported, and announced to an MQTT 5 broker.
    public var maximumIncomingBytes = 1 << 20

    /// - Parameters: as the properties of the same names; the others have defaults.
    public init(host: String, port: UInt16, transport: Transport, clientID: String) {
        self.host = host
        self.port = port
        self.transport = transport
        self.clientID = clientID
    }

    /// - Parameters:
    ///   - url: Where the broker is.
    ///   - tls: Used where the address is `mqtts://`.
    ///   - clientID: As the property of the same name.
    public init(url: BrokerURL, tls: TLSSettings = TLSSettings(), clientID: String) {
        self.init(
            host: url.host, port: url.port, transport: url.isSecure ? .tls(tls) : .plain, clientID: clientID)
    }

    /// The values brought into the ranges that the library below can keep.
    var clamped: LinkConfiguration {
        var copy = self
        copy.keepAliveSeconds = min(max(keepAliveSeconds, 5), 65_535)
        copy.window = min(max(window, 1), 1000)
        copy.maximumIncomingBytes = min(max(maximumIncomingBytes, 1024), 256 << 20)
        copy.backoffMinimumSeconds = max(backoffMinimumSeconds, 0.01)
        copy.backoffMaximumSeconds = max(backoffMaximumSeconds, copy.backoffMinimumSeconds)
        return copy
    }
}

/// A version of MQTT.
public enum MQTTVersion: String, Hashable, Sendable, Codable {
    /// MQTT 5.
    case v5 = "5"
    /// MQTT 3.1.1.
    case v311 = "3.1.1"
}

/// What a TLS connection trusts, and what it shows of itself.
public struct TLSSettings: Sendable, Hashable {
    /// A PEM file of trusted authorities; with `caFolder` nil as well, the system's are trusted.
    public var caFile: String?
    /// A folder of trusted authorities, hashed by `c_rehash`.
    public var caFolder: String?
    /// This client's certificate chain, PEM; goes with `keyFile`.
    public var certificateFile: String?
    /// The private key of that certificate, PEM, without a passphrase.
    public var keyFile: String?

    /// - Parameters: as the properties of the same names.
    public init(
        caFile: String? = nil, caFolder: String? = nil, certificateFile: String? = nil, keyFile: String? = nil
    ) {
        self.caFile = caFile
        self.caFolder = caFolder
        self.certificateFile = certificateFile
        self.keyFile = keyFile
    }
}
