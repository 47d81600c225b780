import OdographJSON
import Tracking
import Wire

/// The keys under `tracking`: what the local file and, over it, remote documents say.
public struct TrackingSettings: Hashable, Sendable {
    /// What the core is told.
    public var core = TrackingConfiguration()
    /// When tracking is on, and what becomes of positions when it is not.
    public var schedule = TrackingSchedule()
    /// How long records are collected before they are committed together, seconds; 0: each at once.
    public var commitIntervalSeconds = 0.0
    /// Undelivered records older than this are given up, seconds; 0: kept as long as there is room.
    public var retentionSeconds = 0.0
    /// Hung on every record.
    public var extras: [String: JSONValue] = [:]

    /// How far apart records of a vehicle that moves are on the disk at least, seconds.
    var minimumSaveIntervalSeconds: Double { max(core.sampling.minimumIntervalSeconds, commitIntervalSeconds) }

    /// The defaults.
    public init() {}
}
