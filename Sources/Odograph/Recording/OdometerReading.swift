/// A reading of the odometer.
public struct OdometerReading: Hashable, Sendable, Codable {
    /// What it can be set to, metres.
    public static let settableMeters = 0.0...1e10

    /// Distance since it was last set, metres.
    public var meters: Double
    /// The true distance is within ± this of ``meters`` in 95 of 100 cases, metres.
    public var errorMeters: Double

    /// - Parameters: as the properties of the same names.
    public init(meters: Double, errorMeters: Double) {
        self.meters = meters
        self.errorMeters = errorMeters
    }
}
