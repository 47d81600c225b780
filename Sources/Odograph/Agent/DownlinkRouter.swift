import Link
import Wire

/// Brings what comes from the broker to whom it concerns, by its topic.
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
        for level in DeviceAddress.levels(groups: groups) {
            for channel in DownlinkChannel.allCases { routes[address.topic(level, channel)] = (level, channel) }
            topics.append(address.geofenceTopic(level, "+"))
        }
        self.routes = routes
        self.topics = (topics + routes.keys).sorted()
    }

    /// The topics to subscribe to.
    let topics: [String]

    /// A message has come. Returns at once: what takes time is done elsewhere.
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

    /// The broker lets the device listen to a topic.
    func handleSubscribed(topic: String) async {
        if case (let level, .config)? = routes[topic] { await configuration.handleSubscribed(level) }
    }

    /// The level and the identifier of a topic of a single geofence.
    private func parseSingleGeofence(_ topic: String) -> (DownlinkLevel, String)? {
        guard let slash = topic.lastIndex(of: "/"),
            case (let level, .geofences)? = routes[String(topic[..<slash])]
        else { return nil }
        return (level, String(topic[topic.index(after: slash)...]))
    }

    /// A message has come that was longer than the link takes.
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
