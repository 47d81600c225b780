import OdographWire

/// The meaning of a topic of a vehicle.
package struct VehicleTopic: Hashable, Sendable {
    /// The vehicle.
    package let vehicle: DeviceAddress
    /// The channel.
    package let channel: UplinkChannel
    /// Whether it is the topic for records that are not live.
    package let isBacklog: Bool

    /// Creates the meaning of a topic; nil for a topic that is not of a vehicle.
    /// - Parameters:
    ///   - topic: The topic, `fleet/acme/van-7/location` or `fleet/acme/van-7/location/backlog`.
    ///   - root: The expected first part.
    package init?(_ topic: String, root: String) {
        let parts = topic.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 4 || parts.count == 5 && parts[4] == "backlog", parts[0] == root,
            let address = try? DeviceAddress(root: root, fleet: parts[1], device: parts[2]),
            let channel = UplinkChannel(rawValue: parts[3])
        else { return nil }
        switch channel {
        case .location, .geofence, .timeline, .givenUp: break
        case .status, .reported: if parts.count == 5 { return nil }
        case .response: return nil
        }
        vehicle = address
        self.channel = channel
        isBacklog = parts.count == 5
    }
}
