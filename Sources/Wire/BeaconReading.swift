/// A change of the presence of a named beacon: the key `beacon` of a location record.
public struct BeaconReading: Hashable, Sendable, Codable {
    /// The name of the beacon in the configuration.
    public var identifier: String
    /// The change.
    public var action: Action
    /// The strength of its signal, dBm; absent if none was received in this run of the agent.
    public var rssi: Int?

    /// Creates a change.
    public init(identifier: String, action: Action, rssi: Int?) {
        self.identifier = identifier
        self.action = action
        self.rssi = rssi
    }

    /// A change of a presence.
    public struct Action: OpenEnumeration {
        /// The beacon came aboard.
        public static let enter = Self(rawValue: "ENTER")
        /// The beacon left.
        public static let exit = Self(rawValue: "EXIT")

        /// The values that this version knows.
        public static let knownValues: [Self] = [.enter, .exit]

        /// The value on the wire.
        public let rawValue: String

        /// Creates a value, also an unknown one.
        public init(rawValue: String) { self.rawValue = rawValue }
    }
}
