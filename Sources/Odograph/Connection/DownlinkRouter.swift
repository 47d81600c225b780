import OdographLink
import OdographWire

/// Routes messages of the broker to their handlers, by topic.
struct DownlinkRouter: Sendable {
    let configuration: RemoteConfiguration
    let commands: RemoteCommands
    let geofences: RemoteGeofences
    private let routes: [String: (level: DownlinkLevel, channel: DownlinkChannel)]

    init(
        address: DeviceAddress, groups: [String], configuration: RemoteConfiguration, commands: RemoteCommands,
        geofences: RemoteGeofences
    ) {
        self.configuration = configuration
        self.commands = commands
        self.geofences = geofences
        var routes: [String: (level: DownlinkLevel, channel: DownlinkChannel)] = [:]
        var topics: [String] = []
        for level in DeviceAddress.subscribedLevels(groups: groups) {
            for channel in DownlinkChannel.allCases { routes[address.topic(level, channel)] = (level, channel) }
            topics.append(address.geofenceTopic(level, "+"))
        }
        self.routes = routes
        self.topics = (topics + routes.keys).sorted()
    }

    /// The topics to subscribe to.
    let topics: [String]

    /// Routes a message. Returns at once: the handlers queue it.
    func route(_ message: IncomingMessage) {
        switch routes[message.topic] {
        case (let level, .config)?: configuration.offer(message.payload, at: level)
        case (_, .command)?: commands.offer(message)
        case (let level, .geofences)?: geofences.offer(message.payload, at: level, identifier: nil)
        case nil:
            guard let (level, identifier) = parseSingleGeofence(message.topic) else { return }
            geofences.offer(message.payload, at: level, identifier: identifier)
        }
    }

    /// Handles the broker's consent to a subscription.
    func handleSubscribed(topic: String) async {
        if case (let level, .config)? = routes[topic] { await configuration.handleSubscribed(level) }
    }

    /// Returns the level and the identifier in the topic of a single geofence.
    private func parseSingleGeofence(_ topic: String) -> (DownlinkLevel, String)? {
        guard let slash = topic.lastIndex(of: "/"),
            case (let level, .geofences)? = routes[String(topic[..<slash])]
        else { return nil }
        return (level, String(topic[topic.index(after: slash)...]))
    }

    /// Routes the size of a message that was too large for the link.
    func routeOversized(topic: String, bytes: Int) {
        switch routes[topic] {
        case (let level, .config)?: configuration.offerOversized(bytes, at: level)
        case (_, .command)?: commands.offerOversized(bytes)
        case (let level, .geofences)?: geofences.offerOversized(bytes, at: level, identifier: nil)
        case nil:
            guard let (level, identifier) = parseSingleGeofence(topic) else { return }
            geofences.offerOversized(bytes, at: level, identifier: identifier)
        }
    }
}
