/// A CAN interface of the kernel.
public struct CANSettings: Hashable, Sendable {
    /// The protocol on a bus.
    public enum BusProtocol: String, Hashable, Sendable, CaseIterable {
        /// SAE J1939 with the groups of the FMS standard: trucks and buses.
        case j1939
        /// OBD-II, mode 01: cars and vans.
        case obd
    }

    /// The longest name of an interface of Linux, bytes.
    public static let maximumInterfaceBytes = 15

    /// The name of the interface, for example `can0`.
    public var interface: String
    /// The protocol.
    public var `protocol` = BusProtocol.j1939
    /// Whether the agent may send requests of OBD-II. Otherwise it sends nothing.
    public var isRequesting = false
    /// The upper bound of the first delay before the interface is opened again, seconds. It doubles with each failure.
    public var minimumRetrySeconds = 1.0
    /// The upper bound of all such delays, seconds.
    public var maximumRetrySeconds = 30.0

    /// Creates settings for an interface.
    public init(interface: String) {
        self.interface = interface
    }
}
