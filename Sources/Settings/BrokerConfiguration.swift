import OdographLink

/// The broker and the connection settings.
public struct BrokerConfiguration: Hashable, Sendable {
    /// The addresses of the brokers, at least one, in the order in which they are tried.
    public var urls: [BrokerURL]
    /// The MQTT client identifier; nil: a random one that the agent keeps in its database.
    public var clientID: String?
    /// The user name; nil: none.
    public var username: String?
    /// The file that contains the password; nil: the environment, or the service manager's credentials.
    public var passwordFile: String?
    /// The folder of the service manager's credentials for this configuration.
    package var credentialsFolder = ServiceCredentials.folder(for: nil)
    /// The certificate authorities, the client certificate and its key.
    public var tls = TLSSettings()
    /// Whether plain text over a network is allowed.
    public var allowsInsecure = false
    /// The MQTT keep-alive interval, seconds; the shortest one if ``keepAliveMaximumSeconds`` is larger.
    public var keepAliveSeconds = 60
    /// The longest keep-alive interval, seconds, up to which the agent searches for the interval that the network
    /// tolerates; nil: the interval is fixed.
    public var keepAliveMaximumSeconds: Int?
    /// The MQTT version to use.
    public var protocolPreference = ProtocolPreference.automatic
    /// The maximum number of unacknowledged publications, 1 to 1000.
    public var maximumInFlight = 1000
    /// The maximum size of the unacknowledged publications together, bytes; nil: no bound.
    public var maximumInFlightBytes: Int?
    /// The maximum size of a publication with its topic and header, bytes; nil: only the broker's own limit applies.
    public var maximumMessageBytes: Int?
    /// The caps on what is published in a second.
    public var rateLimits = RateLimits()
    /// The upper bound of the first delay before a new connection attempt, seconds.
    public var reconnectMinimumSeconds = 1.0
    /// The upper bound of every such delay, seconds.
    public var reconnectMaximumSeconds = 100.0

    /// Creates a configuration with an address and defaults.
    public init(url: BrokerURL) {
        urls = [url]
    }

    /// The address of the first broker. To set it removes the others.
    public var url: BrokerURL {
        get { urls[0] }
        set { urls = [newValue] }
    }

    /// Whether others can read the traffic: plain text that leaves the machine.
    public var isInsecure: Bool { urls.contains(where: \.isReadableByOthers) }

    /// The addresses as a text.
    package var addresses: String { urls.map(\.description).joined(separator: ", ") }

    /// The maximum size of an incoming payload, bytes. A larger payload is reported and dropped. An MQTT 5 broker gets
    /// this limit plus a margin, and drops larger packets silently. The limit is therefore above every plausible size:
    /// 100,000 geofences with outlines of 60 points have 133 MB.
    package static let maximumIncomingBytes = 160 << 20

    /// Returns the settings of the MQTT session.
    package func linkConfiguration(clientID: String, password: Secret?) -> LinkConfiguration {
        var link = LinkConfiguration(url: url, tls: tls, clientID: clientID)
        link.endpoints = urls.map { LinkConfiguration.Endpoint($0, tls: tls) }
        link.username = username
        link.password = password
        link.keepAliveSeconds = keepAliveSeconds
        link.keepAliveMaximumSeconds = keepAliveMaximumSeconds
        link.protocolPreference = protocolPreference
        link.maximumInFlight = maximumInFlight
        link.maximumInFlightBytes = maximumInFlightBytes
        link.maximumMessageBytes = maximumMessageBytes
        link.rateLimits = rateLimits
        link.maximumIncomingBytes = Self.maximumIncomingBytes
        link.backoffMinimumSeconds = reconnectMinimumSeconds
        link.backoffMaximumSeconds = reconnectMaximumSeconds
        return link
    }
}
