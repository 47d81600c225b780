/// The driving style of a trip.
public struct DrivingSummary: Hashable, Sendable {
    /// The number of harsh accelerations.
    public var accelerationCount = 0
    /// The number of harsh brakings.
    public var brakingCount = 0
    /// The number of harsh cornerings.
    public var corneringCount = 0
    /// The largest speed that two consecutive speeds reached, m/s, ≥ 0; nil if no speed is known.
    public var maximumMetersPerSecond: Double?
    /// The share of the driving time above the configured limit, 0 to 1; nil without a limit or a speed.
    public var overspeedShare: Double?

    /// Creates the summary of a trip without events and speeds.
    public init() {}
}
