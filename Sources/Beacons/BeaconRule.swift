/// The named beacons, and when they are aboard.
public struct BeaconRule: Hashable, Sendable {
    /// The patterns of the beacons by their names.
    public var known: [String: BeaconPattern] = [:]
    /// The time without an advertisement after which a beacon is no longer aboard, seconds, > 0.
    public var exitSeconds = 60.0
    /// The median of the signal from which a beacon can be aboard, dBm.
    public var minimumSignalDBm = -95

    /// The most beacons that can be named.
    public static let maximumCount = 64

    /// Creates a rule without beacons: nothing is observed.
    public init() {}

    /// Returns the names of the beacons to which an advertisement belongs, ascending.
    public func identifiers(of advertisement: Advertisement) -> [String] {
        known.filter { $0.value.matches(advertisement) }.keys.sorted()
    }
}
