import OdographBeacons
import OdographPositioning

/// The observation of the beacons that the configuration names.
struct BeaconObservation {
    /// The receiver of beacons; nil for none.
    var source: (any BeaconSource)?
    /// The rule in force; empty while no beacon is named.
    var rule = BeaconRule()
    /// The consumer of the receiver's events; nil while no beacon is named.
    var task: Task<Void, Never>?
}
