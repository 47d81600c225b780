/// Whom a message to devices is for: the part of its topic where a device's name stands.
public enum DownlinkLevel: Hashable, Sendable {
    /// Every device of the fleet.
    case all
    /// The devices of a group.
    case group(String)
    /// One device: the one whose topic it is.
    case device
}

/// What a message to devices is: the last part of its topic.
public enum DownlinkChannel: String, Hashable, Sendable, CaseIterable {
    /// A configuration document, retained.
    case config
    /// A whole set of geofences, retained.
    case geofences
    /// A command, not retained.
    case command
}

extension DeviceAddress {
    /// The topic of a level: `fleet/acme/group:vans/config`.
    public func topic(_ level: DownlinkLevel, _ channel: DownlinkChannel) -> String {
        "\(root)/\(fleet)/\(topicComponent(for: level))/\(channel.rawValue)"
    }

    /// The topic of one geofence of a level: `fleet/acme/all/geofences/depot`; `+` stands for each.
    public func geofenceTopic(_ level: DownlinkLevel, _ identifier: String) -> String {
        topic(level, .geofences) + "/" + identifier
    }

    /// What stands in a topic where a device's name stands: `all`, `group:vans`, `van-7`.
    public func topicComponent(for level: DownlinkLevel) -> String {
        switch level {
        case .all: "all"
        case .group(let name): "group:\(name)"
        case .device: device
        }
    }

    /// The levels that a device listens to, the weakest first.
    public static func levels(groups: [String]) -> [DownlinkLevel] {
        [.all] + groups.map { .group($0) } + [.device]
    }
}
