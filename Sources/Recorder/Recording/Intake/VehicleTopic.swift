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
        // As UTF-8, because the splitting of characters takes longer than the reading of a payload.
        let parts = topic.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard parts.count == 4 || parts.count == 5 && parts[4].elementsEqual("backlog".utf8),
            parts[0].elementsEqual(root.utf8),
            let address = try? DeviceAddress(
                root: root, fleet: String(Substring(parts[1])), device: String(Substring(parts[2]))),
            let channel = UplinkChannel(rawValue: String(Substring(parts[3])))
        else { return nil }
        switch channel {
        case .location, .geofence, .timeline: break
        case .givenUp, .batch, .status, .reported: if parts.count == 5 { return nil }
        case .numbers, .response: return nil
        }
        vehicle = address
        self.channel = channel
        isBacklog = parts.count == 5
    }

    /// Returns the vehicle that a topic belongs to, also a topic without a meaning; nil for one of no vehicle.
    static func vehicle(of topic: String, root: String) -> DeviceAddress? {
        let parts = topic.utf8.split(separator: UInt8(ascii: "/"), maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count == 4, parts[0].elementsEqual(root.utf8) else { return nil }
        return try? DeviceAddress(
            root: root, fleet: String(Substring(parts[1])), device: String(Substring(parts[2])))
    }
}
