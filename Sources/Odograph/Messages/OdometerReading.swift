/// A reading of the odometer.
public struct OdometerReading: Hashable, Sendable, Codable {
    /// The values that the odometer can be set to, metres.
    public static let settableMeters = 0.0...1e10

    /// The odometer's value: the value that it was set to plus the distance since, metres.
    public var meters: Double
    /// The error bound: the true value is within ± this of ``meters`` in 95 % of cases, metres.
    public var errorMeters: Double

    /// Creates a reading.
    public init(meters: Double, errorMeters: Double) {
        self.meters = meters
        self.errorMeters = errorMeters
    }
}
