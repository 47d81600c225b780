import Logging
import OdographJSON
import Positioning
import Store
import Wire

/// Everything that an agent is told by its local file.
public struct AgentConfiguration: Sendable {
    /// Whose topics it speaks on.
    public var address: DeviceAddress
    /// The groups that it belongs to, the weaker one first.
    public var groups: [String]
    /// The broker and how to reach it.
    public var broker: BrokerConfiguration
    /// Where positions come from.
    public var source: SourceConfiguration
    /// The database.
    public var store: StoreConfiguration
    /// The path of the control socket.
    public var controlPath: String
    /// How much is logged.
    public var logLevel: Logger.Level
    /// Whether remote documents are refused that loosen what the file keeps private.
    public internal(set) var isPrivacyLocked: Bool
    /// What may also be told remotely. It is read of ``trackingDocument``: neither is changed without the other.
    public internal(set) var tracking: TrackingSettings
    /// The file's `tracking` as it stands there, over which remote documents are laid.
    public internal(set) var trackingDocument: JSONValue
}

extension DeviceAddress {
    /// Root, fleet and device, joined by slashes.
    var path: String { "\(root)/\(fleet)/\(device)" }
}

/// Where positions come from.
public enum SourceConfiguration: Hashable, Sendable {
    /// A gpsd.
    case gpsd(GPSDSettings)
    /// A capture, played again.
    case replay(ReplaySettings)
    /// A made-up drive.
    case simulator(SimulatorSettings)
}

/// The database.
public struct StoreConfiguration: Hashable, Sendable {
    /// Its file.
    public var path: String
    /// Its settings.
    public var options: StoreOptions
}
