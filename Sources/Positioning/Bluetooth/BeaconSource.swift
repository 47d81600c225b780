public import OdographBeacons
public import OdographModel

/// A change that a source of beacons reports.
public enum BeaconSourceEvent: Hashable, Sendable {
    /// A beacon came aboard or left.
    case change(BeaconEvent)
    /// Advertisements are received again.
    case available
    /// Advertisements cannot be received, with a sentence that says why and what to do.
    case unavailable(detail: String)
}

/// A receiver of Bluetooth advertisements.
public protocol BeaconSource: Sendable {
    /// Returns the changes from now on, for one consumer. The receiver stops if the iteration or its task ends.
    /// - Parameters:
    ///   - rule: The named beacons, at least one.
    ///   - present: The beacons that are aboard, as far as it is known.
    func events(rule: BeaconRule, present: [String]) -> AsyncStream<BeaconSourceEvent>
}

/// The settings of the Bluetooth receiver.
public struct BluetoothSettings: Hashable, Sendable {
    /// The name of the adapter, such as `hci0`.
    public var adapter = "hci0"
    /// The address of the bus on which BlueZ is; nil for the system bus, or the one in `DBUS_SYSTEM_BUS_ADDRESS`.
    public var busAddress: String?
    /// The shortest and the longest pause after a failure, seconds, > 0.
    public var retrySeconds = 1.0...60.0

    /// Creates the default settings.
    public init() {}
}
