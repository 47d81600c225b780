import OdographBeacons
import OdographJSON
import OdographTracking
import OdographWire

/// The settings under `tracking`: of the local file, with remote documents merged over it.
public struct TrackingSettings: Hashable, Sendable {
    /// The settings of the tracking core.
    public var core = TrackingConfiguration()
    /// The named beacons; by default there are none.
    public var beacons = BeaconRule()
    /// The times at which tracking is on, and the handling of positions at other times.
    public var schedule = TrackingSchedule()
    /// The time over which records are collected before they are committed together, seconds; 0: each at once.
    public var commitIntervalSeconds = 0.0
    /// The age at which undelivered records are deleted, seconds; 0: none, they are deleted only if the store is full.
    public var retentionSeconds = 0.0
    /// The condition under which records are delivered.
    public var delivery = DeliverySettings()
    /// The form in which records are published.
    public var encoding = EncodingSettings()
    /// The traffic budget.
    public var monthlyBudget = MonthlyBudget()
    /// Additional members of every record.
    public var extras: [String: JSONValue] = [:]

    /// The shortest time between two saved states of a moving vehicle, seconds.
    package var minimumSaveIntervalSeconds: Double { max(core.sampling.minimumIntervalSeconds, commitIntervalSeconds) }

    /// Creates the default settings.
    public init() {}
}
