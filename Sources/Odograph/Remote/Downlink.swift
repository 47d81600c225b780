import Link
import Wire

/// Brings what comes from the broker to whom it concerns, by its topic.
struct Downlink: Sendable {
    let configuration: RemoteConfiguration
    let commands: RemoteCommands
    private let routes: [String: (level: DownlinkLevel, channel: DownlinkChannel)]

    init(
        address: DeviceAddress, groups: [String], configuration: RemoteConfiguration, commands: RemoteCommands
    ) {
        self.configuration = configuration
        self.commands = commands
        var routes: [String: (level: DownlinkLevel, channel: DownlinkChannel)] = [:]
        for level in DeviceAddress.levels(groups: groups) {
            for channel in [DownlinkChannel.config, .command] {
                routes[address.topic(level, channel)] = (level, channel)
            }
        }
        self.routes = routes
    }

    /// The topics to subscribe to.
    var topics: [String] { routes.keys.sorted() }

    /// A message has come. Returns at once: what takes time is done elsewhere.
    func take(_ message: IncomingMessage) {
        switch routes[message.topic] {
        case (let level, .config)?: configuration.offer(message.payload, at: level)
        case (_, .command)?: commands.offer(message)
        default: break
        }
    }

    /// The broker lets the device listen to a topic.
    func granted(topic: String) async {
        if case (let level, .config)? = routes[topic] { await configuration.granted(level) }
    }

    /// A message has come that was longer than the link takes.
    func takeOversized(topic: String, bytes: Int) {
        switch routes[topic] {
        case (let level, .config)?: configuration.offerOversized(bytes, at: level)
        case (_, .command)?: commands.offerOversized(bytes)
        default: break
        }
    }
}
