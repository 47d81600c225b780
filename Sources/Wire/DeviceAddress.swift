/// The names that identify a device in topics: `<root>/<fleet>/<device>`.
public struct DeviceAddress: Hashable, Sendable {
    /// The first part of every topic.
    public let root: String
    /// The fleet's name.
    public let fleet: String
    /// The device's name.
    public let device: String

    /// Creates an address.
    /// - Throws: ``TopicNameError`` if a part is not a valid name, or the device's name is reserved.
    public init(root: String = "fleet", fleet: String, device: String) throws(TopicNameError) {
        self.root = try Self.validated(root, part: "root")
        self.fleet = try Self.validated(fleet, part: "fleet")
        self.device = try Self.validated(device, part: "device")
        if device == "all" { throw TopicNameError(part: "device", name: device, isReserved: true) }
    }

    /// Returns the topic of a channel, for example `fleet/acme/van-7/location`.
    public func topic(_ channel: UplinkChannel) -> String {
        "\(root)/\(fleet)/\(device)/\(channel.rawValue)"
    }

    /// Returns the topic for records of a channel that are not live, for example `fleet/acme/van-7/location/backlog`. A
    /// channel whose records are never live has one topic for all.
    public func backlogTopic(_ channel: UplinkChannel) -> String {
        channel.hasBacklog ? topic(channel) + "/backlog" : topic(channel)
    }

    /// Returns the topic of the receipts of a recorder, for example `fleet/acme/van-7/receipt/main`. They are retained.
    public func receiptTopic(of recorder: String) -> String {
        "\(root)/\(fleet)/\(device)/receipt/\(recorder)"
    }

    /// Returns a name that matches `[A-Za-z0-9_-]{1,64}`; throws an error for others.
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

/// A name that is not allowed in a topic.
public struct TopicNameError: Error, Hashable, CustomStringConvertible {
    /// The part of the address, for example `root`, `fleet` or `device`.
    public let part: String
    /// The name.
    public let name: String
    /// Whether the name is reserved for another meaning.
    public let isReserved: Bool

    /// The problem and the remedy.
    public var description: String {
        if isReserved { return "\(part) \"\(name)\" is reserved: it addresses every device; choose another name" }
        return "\(part) \"\(name)\" is not a name: use 1 to 64 of the characters A–Z, a–z, 0–9, \"_\" and \"-\""
    }
}
