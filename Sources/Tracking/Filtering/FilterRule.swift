/// The rule for implausible fixes.
public struct FilterRule: Hashable, Sendable, Codable {
    /// The highest plausible speed, m/s, > 0. The default accepts high-speed trains and rejects outliers.
    public var maximumSpeedMetersPerSecond = MovementBounds.fastestMetersPerSecond
    /// The largest plausible difference between a trusted clock and a fix's time, seconds, > 0: an older fix comes from
    /// a cache, and one from the future is an error of the receiver.
    public var maximumAgeSeconds = 30.0

    /// Creates the default rule.
    public init() {}

    /// The largest mean speed of a trip of a vehicle, m/s: more than that of most trains if faster positions are
    /// believed.
    public var fastestVehicleMetersPerSecond: Double {
        max(maximumSpeedMetersPerSecond, MovementBounds.fastestMetersPerSecond)
    }
}
