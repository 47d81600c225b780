import Link

/// The broker, and how to reach it.
public struct BrokerConfiguration: Hashable, Sendable {
    /// Where it is, and whether the way to it is encrypted.
    public var url: BrokerURL
    /// The client id at the broker; nil: a random one that the agent keeps in its database.
    public var clientID: String?
    /// The user to log in as; nil: none.
    public var username: String?
    /// The file that holds the user's password; nil: the environment, or the service manager's credentials.
    public var passwordFile: String?
    /// Authority, certificate and key.
    public var tls = TLSSettings()
    /// Whether positions may cross a network that others can read.
    public var allowsInsecure = false
    /// How often the connection is proved to be alive, seconds.
    public var keepAliveSeconds = 60
    /// Which MQTT is spoken.
    public var protocolPreference = LinkConfiguration.ProtocolPreference.automatic
    /// How many publications may be on their way at once, at most 1000.
    public var window = 1000
    /// The bound of the first wait before connecting anew, seconds.
    public var reconnectMinimumSeconds = 1.0
    /// The bound of the longest such wait, seconds.
    public var reconnectMaximumSeconds = 256.0

    /// A broker at an address, all else as by default.
    public init(url: BrokerURL) {
        self.url = url
    }

    /// Whether others can read what is said: plain text that leaves the machine.
    public var isInsecure: Bool { !url.isSecure && !url.isLoopback }

    /// A payload longer than this is reported and not taken in, bytes. A broker that was told of a limit drops what is
    /// longer without a word, so that nobody would ever learn why a document has no effect. A hundred thousand geofences with
    /// outlines of 60 points have 133 MB.
    package static let maximumIncomingBytes = 160 << 20

    /// The session's side of it.
    package func linkConfiguration(clientID: String, password: Secret?, rememberedVersion: MQTTVersion?) -> LinkConfiguration {
        var link = LinkConfiguration(url: url, tls: tls, clientID: clientID)
        link.username = username
        link.password = password
        link.keepAliveSeconds = keepAliveSeconds
        link.protocolPreference = protocolPreference
        link.rememberedVersion = rememberedVersion
        link.window = window
        link.maximumIncomingBytes = Self.maximumIncomingBytes
        link.backoffMinimumSeconds = reconnectMinimumSeconds
        link.backoffMaximumSeconds = reconnectMaximumSeconds
        return link
    }
}
