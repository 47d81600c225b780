import Glibc

/// The error of a simulated receiver's position: a first-order Gauss–Markov process on each axis and a little white
/// noise. The process causes the drift of a parked receiver and the offset of a moving one from its road. Source: J.
/// Rankin, "An error model for sensor simulation: GPS and differential GPS", IEEE PLANS 1994.
struct ReceiverNoise {
    /// The standard deviation of the correlated part on each axis, metres.
    static let correlatedNoiseMeters = 3.0
    /// The time after which 1/e of an error remains, seconds.
    static let correlationSeconds = 60.0
    /// The standard deviation of the white part on each axis, metres.
    static let whiteNoiseMeters = 0.2
    /// The standard deviation of the Doppler speed, m/s.
    static let speedMetersPerSecond = 0.1

    /// The radius that contains 95 % of a circular normal distribution: 2.448 deviations (√(−2 ln 0.05)), metres.
    static let accuracyMeters =
        2.448 * (correlatedNoiseMeters * correlatedNoiseMeters + whiteNoiseMeters * whiteNoiseMeters).squareRoot()
    /// The half width that contains 95 % of a normal distribution: 1.96 deviations, m/s.
    static let speedAccuracyMetersPerSecond = 1.96 * speedMetersPerSecond

    private var east: Double
    private var north: Double
    private var up: Double

    init(using generator: inout SeededGenerator) {
        east = Self.correlatedNoiseMeters * generator.gaussian()
        north = Self.correlatedNoiseMeters * generator.gaussian()
        up = Self.correlatedNoiseMeters * generator.gaussian()
    }

    mutating func advance(seconds: Double, using generator: inout SeededGenerator) {
        let kept = exp(-seconds / Self.correlationSeconds)
        let fresh = Self.correlatedNoiseMeters * (1 - kept * kept).squareRoot()
        east = east * kept + fresh * generator.gaussian()
        north = north * kept + fresh * generator.gaussian()
        up = up * kept + fresh * generator.gaussian()
    }

    /// Returns the position that the receiver reports.
    func perturbed(_ place: RoutePlane.Point, using generator: inout SeededGenerator) -> RoutePlane.Point {
        RoutePlane.Point(
            east: place.east + east + Self.whiteNoiseMeters * generator.gaussian(),
            north: place.north + north + Self.whiteNoiseMeters * generator.gaussian())
    }

    /// The error of the height, metres: 1.5 times the horizontal error, because satellites are only above the receiver.
    var heightErrorMeters: Double { 1.5 * up }
}
