import Logging
import OdographJSON
import OdographPositioning
import OdographSettings
import OdographStore
import OdographWire

/// The contents of an agent's local configuration file.
public struct AgentConfiguration: Sendable {
    /// The root, fleet and device names, from which the topics are built.
    public var address: DeviceAddress
    /// The groups of the device, unless its own configuration document sets them. A later group has priority over an
    /// earlier one.
    public var groups: [String]
    /// The broker and the connection settings.
    public var broker: BrokerConfiguration
    /// The days before the end of the vehicle's certificate from which on the agent asks for a new one; nil: it asks
    /// only after a command.
    public var certificateRenewDays: Int?
    /// The source of the positions.
    public var source: SourceConfiguration
    /// The sources of the vehicle's signals.
    public var vehicle: VehicleConfiguration
    /// The database settings.
    public var store: StoreConfiguration
    /// The path of the control socket.
    public var controlPath: String
    /// The lowest level that is logged.
    public var logLevel: Logger.Level
    /// Whether remote documents that weaken the privacy settings of the file are refused.
    public internal(set) var isPrivacyLocked: Bool
    /// The tracking settings, parsed from ``trackingDocument``: the two must change together. Remote documents may
    /// override them.
    public internal(set) var tracking: TrackingSettings
    /// The `tracking` object of the file. Remote documents are merged over it.
    public internal(set) var trackingDocument: JSONValue
}

extension DeviceAddress {
    /// The root, fleet and device, joined by slashes.
    package var path: String { "\(root)/\(fleet)/\(device)" }
}

/// A source of positions.
public enum SourceConfiguration: Hashable, Sendable {
    /// A gpsd daemon.
    case gpsd(GPSDSettings)
    /// A recorded capture.
    case replay(ReplaySettings)
    /// A simulated drive.
    case simulator(SimulatorSettings)
}

/// The settings of the database.
public struct StoreConfiguration: Hashable, Sendable {
    /// The path of the database file.
    public var path: String
    /// The condition for a commit to be complete.
    public var synchronous: StoreSynchronous
    /// The maximum size of the database file, bytes; at least 262,144. The write-ahead log is additional.
    public var maximumBytes: Int

    /// The options with which the database is opened.
    package var options: StoreOptions { StoreOptions(synchronous: synchronous, maximumBytes: maximumBytes) }
}
