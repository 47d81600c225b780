/// The receivers of a message to devices: the part of the topic at the place of a device's name.
public enum DownlinkLevel: Hashable, Sendable {
    /// Every device of the fleet.
    case all
    /// The devices of a group.
    case group(String)
    /// The device with this address.
    case device
}

/// The kind of a message to devices: the last part of its topic.
public enum DownlinkChannel: String, Hashable, Sendable, CaseIterable {
    /// A configuration document, retained.
    case config
    /// A complete set of geofences, retained.
    case geofences
    /// A command, not retained.
    case command
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

    /// Returns the part of a topic for a level: `all`, `group:vans`, `van-7`.
    public func topicComponent(for level: DownlinkLevel) -> String {
        switch level {
        case .all: "all"
        case .group(let name): "group:\(name)"
        case .device: device
        }
    }

    /// Returns the levels that apply to a device, weakest first.
    public static func levels(groups: [String]) -> [DownlinkLevel] {
        [.all] + groups.map { .group($0) } + [.device]
    }
}
