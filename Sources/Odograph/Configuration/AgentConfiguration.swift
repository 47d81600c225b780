import Link
import Logging
import Positioning
import Store
import Tracking
import Wire

/// Everything that an agent is told by its local file.
public struct AgentConfiguration: Sendable {
    /// Whose topics it speaks on.
    public var address: DeviceAddress
    /// The groups that it belongs to, the weaker one first.
    public var groups: [String]
    /// The broker and how to reach it.
    public var broker: LinkConfiguration
    /// Where positions come from.
    public var source: SourceConfiguration
    /// The database.
    public var store: StoreConfiguration
    /// The path of the control socket.
    public var controlPath: String
    /// How much is logged.
    public var logLevel: Logger.Level
    /// What may also be told remotely.
    public var tracking: TrackingSettings
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

/// The keys under `tracking`: what the local file and, over it, remote documents say.
public struct TrackingSettings: Hashable, Sendable {
    /// What the core is told.
    public var core = TrackingConfiguration()
    /// How long records are collected before they are committed together, seconds; 0: each at once.
    public var commitIntervalSeconds = 0.0
    /// Undelivered records older than this are given up, seconds; 0: kept as long as there is room.
    public var retentionSeconds = 0.0
    /// Hung on every record.
    public var extras: [String: JSONValue] = [:]

    /// The defaults.
    public init() {}
}
