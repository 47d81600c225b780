/// The payload of the channel `numbers`, retained: the agent publishes no record with a greater number before it says
/// so.
public struct NumbersMessage: Hashable, Sendable, Codable {
    /// The device's name.
    public var deviceID: String
    /// The epoch of ``through``.
    public var epoch: Int64
    /// The last number that the agent can publish.
    public var through: Int64
    /// A random name of 16 hexadecimal digits, drawn each time ``through`` grows.
    public var id: String

    /// Creates a message from its parts.
    public init(deviceID: String, epoch: Int64, through: Int64, id: String) {
        self.deviceID = deviceID
        self.epoch = epoch
        self.through = through
        self.id = id
    }

    private enum CodingKeys: String, CodingKey {
        case deviceID = "device_id"
        case epoch, through, id
    }
}
