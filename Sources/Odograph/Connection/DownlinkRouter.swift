import OdographLink
import OdographThreads
import OdographWire

/// Routes messages of the broker to their handlers, by topic.
final class DownlinkRouter: Sendable {
    /// The topics of the levels that apply to the device.
    private struct Routes {
        private(set) var routes: [String: (level: DownlinkLevel, channel: DownlinkChannel)] = [:]
        /// The topics to subscribe to, with their level.
        private(set) var filters: [String: DownlinkLevel] = [:]

        init(_ address: DeviceAddress, groups: [String]) {
            for level in DeviceAddress.subscribedLevels(groups: groups) {
                for channel in DownlinkChannel.allCases { routes[address.topic(level, channel)] = (level, channel) }
                filters[address.geofenceTopic(level, "+")] = level
            }
            for (topic, route) in routes { filters[topic] = route.level }
        }

        /// Returns topics in the order in which to subscribe to them: the configuration first, because its documents
        /// would wait behind all geofences.
        func ordered(_ topics: some Sequence<String>) -> [String] {
            let configurations = Set(routes.filter { $0.value.channel == .config }.keys)
            return topics.sorted {
                (configurations.contains($0) ? 0 : 1, $0) < (configurations.contains($1) ? 0 : 1, $1)
            }
        }
    }

    let configuration: RemoteConfiguration
    let commands: RemoteCommands
    let geofences: RemoteGeofences
    private let address: DeviceAddress
    private let routes: Lock<Routes>

    init(
        address: DeviceAddress, groups: [String], configuration: RemoteConfiguration, commands: RemoteCommands,
        geofences: RemoteGeofences
    ) {
        self.configuration = configuration
        self.commands = commands
        self.geofences = geofences
        self.address = address
        routes = Lock(Routes(address, groups: groups))
    }

    /// The topics to subscribe to, in this order.
    var topics: [String] { routes.withLock { $0.ordered($0.filters.keys) } }

    /// Follows a change of the groups: a message of a left one has no route any more.
    /// - Returns: The subscriptions to end, and those to begin, also again: the broker then sends its retained messages
    ///   again.
    func follow(_ change: LevelChange) -> (ended: [String], begun: [String]) {
        routes.withLock { [address] in
            let former = $0.filters
            $0 = Routes(address, groups: change.groups)
            let filters = $0.filters
            return (
                former.keys.filter { filters[$0] == nil }.sorted(),
                $0.ordered(filters.filter { change.joined.contains($0.value) }.keys)
            )
        }
    }

    /// Whether a topic is that of a group to which the device does not belong.
    func isOfOtherGroup(_ topic: String) -> Bool {
        topic.hasPrefix("\(address.root)/\(address.fleet)/group:") && routes.withLock { $0.filters[topic] == nil }
    }

    /// Routes a message. Returns at once: the handlers queue it.
    func route(_ message: IncomingMessage) {
        switch route(of: message.topic) {
        case (let level, .config, _)?: configuration.offer(message.payload, at: level)
        case (_, .command, _)?: commands.offer(message)
        case (let level, .geofences, let identifier)?:
            geofences.offer(message.payload, at: level, identifier: identifier)
        case nil: break
        }
    }

    /// Handles the broker's consent to a subscription.
    func handleSubscribed(topic: String) async {
        if case (let level, .config, _)? = route(of: topic) { await configuration.handleSubscribed(level) }
    }

    /// Routes the size of a message that was too large for the link.
    func routeOversized(topic: String, bytes: Int) {
        switch route(of: topic) {
        case (let level, .config, _)?: configuration.offerOversized(bytes, at: level)
        case (_, .command, _)?: commands.offerOversized(bytes)
        case (let level, .geofences, let identifier)?:
            geofences.offerOversized(bytes, at: level, identifier: identifier)
        case nil: break
        }
    }

    /// Returns the level and the channel of a topic, and the identifier in that of a single geofence.
    private func route(of topic: String) -> (level: DownlinkLevel, channel: DownlinkChannel, identifier: String?)? {
        routes.withLock {
            if let (level, channel) = $0.routes[topic] { return (level, channel, nil) }
            guard let slash = topic.lastIndex(of: "/"),
                case (let level, .geofences)? = $0.routes[String(topic[..<slash])]
            else { return nil }
            return (level, .geofences, String(topic[topic.index(after: slash)...]))
        }
    }
}
