/// The rule for implausible fixes.
public struct FilterRule: Hashable, Sendable, Codable {
    /// The highest plausible speed, m/s, > 0. 75 m/s (270 km/h) accepts high-speed trains and rejects outliers.
    public var maximumSpeedMetersPerSecond = 75.0
    /// The largest plausible difference between a trusted clock and a fix's time, seconds, > 0: an older fix comes from
    /// a cache, and one from the future is an error of the receiver.
    public var maximumAgeSeconds = 30.0

    /// Creates the default rule.
    public init() {}
}
