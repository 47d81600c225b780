extension StatusMessage {
    /// A connection state of a device.
    public struct State: OpenEnumeration {
        /// The device is connected.
        public static let online = Self(rawValue: "online")
        /// The device has disconnected, or the broker has lost the connection.
        public static let offline = Self(rawValue: "offline")

        /// The values that this version knows.
        public static let knownValues: [Self] = [.online, .offline]

        /// The value on the wire.
        public let rawValue: String

        /// Creates a value, also an unknown one.
        public init(rawValue: String) { self.rawValue = rawValue }
    }

    /// A cause of a connection state.
    public struct Reason: OpenEnumeration {
        /// The agent has connected.
        public static let connected = Self(rawValue: "connected")
        /// The agent was stopped.
        public static let stopped = Self(rawValue: "stopped")
        /// The broker has lost the connection: the last will.
        public static let connectionLost = Self(rawValue: "connection_lost")

        /// The values that this version knows.
        public static let knownValues: [Self] = [.connected, .stopped, .connectionLost]

        /// The value on the wire.
        public let rawValue: String

        /// Creates a value, also an unknown one.
        public init(rawValue: String) { self.rawValue = rawValue }
    }
}
