/// The rule for location records while moving: at least `minimumIntervalSeconds` after the last record, the first
/// condition that is met triggers the next.
public struct SamplingRule: Hashable, Sendable, Codable {
    /// The minimum interval of location records without a cause, seconds, ≥ 0.
    public var minimumIntervalSeconds = 10.0
    /// The distance after which a location is recorded, metres, > 0.
    public var distanceMeters = 100.0
    /// The change of heading after which a location is recorded, degrees, > 0; 180: never.
    public var headingDegrees = 10.0
    /// The time after which a location is recorded, seconds, > 0.
    public var maximumIntervalSeconds = 300.0
    /// Whether a location is recorded at a halt: about 25 % more records in towns, almost none outside.
    public var recordsHalts = true

    /// Creates the default rule.
    public init() {}
}
