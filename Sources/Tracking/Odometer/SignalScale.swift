/// Learns the scale of a distance that the vehicle measures, against the satellites.
///
/// A wheel's circumference differs from the configured one by some per cent: wear, pressure, another tyre. The estimate
/// is the mean of the normal distribution that remains after a prior of 3 % and the observed stretches.
struct SignalScale: Equatable, Sendable, Codable {
    /// The prior standard deviation of the scale, as a share: approved speedometers and other tyre sizes.
    private static let priorSpread = 0.03
    /// The distance over which observations are forgotten, metres: tyres change slowly, and are replaced.
    private static let memoryMeters = 100_000.0

    private var squareSum = 0.0
    private var shortfallSum = 0.0

    init() {}

    private var information: Double { squareSum + 1 / (Self.priorSpread * Self.priorSpread) }

    /// Whether a stretch has shown the scale.
    var isKnown: Bool { squareSum > 0 }

    /// The true distance per measured distance.
    var factor: Double { 1 + shortfallSum / information }

    /// The standard error of ``factor``.
    var standardError: Double { (1 / information).squareRoot() }

    /// Takes a stretch that both measured.
    /// - Parameters:
    ///   - meters: the distance by the satellites, metres.
    ///   - measured: the distance by the vehicle, metres, > 0.
    ///   - variance: of the difference, m², > 0.
    mutating func learn(meters: Double, measured: Double, variance: Double) {
        let keep = Self.memoryMeters / (Self.memoryMeters + meters)
        squareSum = keep * squareSum + measured * measured / variance
        shortfallSum = keep * shortfallSum + measured * (meters - measured) / variance
    }
}
