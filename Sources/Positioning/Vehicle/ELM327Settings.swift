/// An ELM327 adapter of OBD-II on a serial port.
public struct ELM327Settings: Hashable, Sendable {
    /// The rates that a port can be set to, bits per second.
    public static let bitRates = [9600, 19_200, 38_400, 57_600, 115_200, 230_400, 460_800, 500_000]

    /// The path of the port, for example `/dev/ttyUSB0`.
    public var device: String
    /// The rate of the port, bits per second: one of ``bitRates``.
    public var bitRate = 38_400
    /// The upper bound of the first delay before the port is opened again, seconds. It doubles with each failure.
    public var minimumRetrySeconds = 1.0
    /// The upper bound of all such delays, seconds.
    public var maximumRetrySeconds = 30.0

    /// Creates settings for a port.
    public init(device: String) {
        self.device = device
    }
}
