/// The origin of a configuration document or of geofences, and the receivers of a message to devices.
public enum DownlinkLevel: Hashable, Sendable {
    /// Every device of the fleet.
    case all
    /// The devices of a group.
    case group(String)
    /// The device with this address.
    case device
    /// The program that embeds the agent. It is on the device: nothing is published or subscribed for it.
    case program
}

/// The kind of a message to devices: the last part of its topic.
public enum DownlinkChannel: String, Hashable, Sendable, CaseIterable {
    /// A configuration document.
    case config
    /// A complete set of geofences, or below it a single one.
    case geofences
    /// A command.
    case command
}

extension DownlinkChannel {
    /// Whether the broker retains the newest message of the channel.
    public var isRetained: Bool {
        switch self {
        // A device that connects later gets what is in force.
        case .config, .geofences: true
        // A retained command would be executed on each connection.
        case .command: false
        }
    }
}

extension DeviceAddress {
    /// Returns the topic of a level, for example `fleet/acme/group:vans/config`.
    public func topic(_ level: DownlinkLevel, _ channel: DownlinkChannel) -> String {
        "\(root)/\(fleet)/\(topicComponent(for: level))/\(channel.rawValue)"
    }

    /// Returns the topic of one geofence of a level, `fleet/acme/all/geofences/depot`; `+` stands for all geofences.
    public func geofenceTopic(_ level: DownlinkLevel, _ identifier: String) -> String {
        topic(level, .geofences) + "/" + identifier
    }

    /// Returns the name of a level, which is the part of a topic for it: `all`, `group:vans`, `van-7`. The program's,
    /// `van-7/program`, is in no topic that a device subscribes to.
    public func topicComponent(for level: DownlinkLevel) -> String {
        switch level {
        case .all: "all"
        case .group(let name): "group:\(name)"
        case .device: device
        case .program: "\(device)/program"
        }
    }

    /// Returns the levels that a device subscribes to, weakest first.
    public static func subscribedLevels(groups: [String]) -> [DownlinkLevel] {
        [.all] + groups.map { .group($0) } + [.device]
    }

    /// Returns the levels that apply to a device, weakest first: those that it subscribes to, and the program's.
    public static func allLevels(groups: [String]) -> [DownlinkLevel] { subscribedLevels(groups: groups) + [.program] }
}
