/// Whose topics they are: `<root>/<fleet>/<device>`.
public struct DeviceAddress: Hashable, Sendable {
    /// The first part of every topic.
    public let root: String
    /// The fleet's name.
    public let fleet: String
    /// The device's name.
    public let device: String

    /// - Throws: ``TopicNameError`` where a part is not a name, or the device's is a reserved one.
    public init(root: String = "fleet", fleet: String, device: String) throws(TopicNameError) {
        self.root = try Self.validated(root, part: "root")
        self.fleet = try Self.validated(fleet, part: "fleet")
        self.device = try Self.validated(device, part: "device")
        if device == "all" { throw TopicNameError(part: "device", name: device, isReserved: true) }
    }

    /// The topic of a channel: `fleet/acme/van-7/location`.
    public func topic(_ channel: UplinkChannel) -> String {
        "\(root)/\(fleet)/\(device)/\(channel.rawValue)"
    }

    /// The topic for what could not be said in time: `fleet/acme/van-7/location/backlog`.
    public func backlogTopic(_ channel: UplinkChannel) -> String {
        topic(channel) + "/backlog"
    }

    /// - Returns: the name, if it matches `[A-Za-z0-9_-]{1,64}`.
    public static func validated(_ name: String, part: String) throws(TopicNameError) -> String {
        let isName =
            (1...64).contains(name.utf8.count)
            && name.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
        guard isName else { throw TopicNameError(part: part, name: name, isReserved: false) }
        return name
    }
}

/// A name that cannot stand in a topic.
public struct TopicNameError: Error, Hashable, CustomStringConvertible {
    /// Which part it was to be.
    public let part: String
    /// The name.
    public let name: String
    /// Whether the name is one that means something else.
    public let isReserved: Bool

    /// What is wrong with the name, and what would be right.
    public var description: String {
        if isReserved { return "\(part) \"\(name)\" is reserved: it addresses every device; choose another name" }
        return "\(part) \"\(name)\" is not a name: use 1 to 64 of the characters A–Z, a–z, 0–9, \"_\" and \"-\""
    }
}
