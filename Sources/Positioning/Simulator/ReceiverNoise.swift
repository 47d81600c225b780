import Glibc

/// The error of a simulated receiver's position: a first-order Gauss–Markov process on each axis, which is what makes a
/// parked receiver wander and a driven one run beside its road, plus a little white noise. Source: J. Rankin, "An error
/// model for sensor simulation: GPS and differential GPS", IEEE PLANS 1994.
struct ReceiverNoise {
    /// Deviation of the wandering part on each axis, metres.
    static let correlatedNoiseMeters = 3.0
    /// After so many seconds 1/e of an error is left.
    static let correlationSeconds = 60.0
    /// Deviation of the white part on each axis, metres.
    static let whiteNoiseMeters = 0.2
    /// Deviation of the Doppler speed, m/s.
    static let speedMetersPerSecond = 0.1

    /// The radius that holds 95 % of a circular normal distribution is 2.448 deviations (√(−2 ln 0.05)).
    static let accuracyMeters =
        2.448 * (correlatedNoiseMeters * correlatedNoiseMeters + whiteNoiseMeters * whiteNoiseMeters).squareRoot()
    /// 95 % of a normal distribution lie within 1.96 deviations.
    static let speedAccuracyMetersPerSecond = 1.96 * speedMetersPerSecond

    private var east: Double
    private var north: Double
    private var up: Double

    init(using generator: inout SeededGenerator) {
        east = Self.correlatedNoiseMeters * generator.gaussian()
        north = Self.correlatedNoiseMeters * generator.gaussian()
        up = Self.correlatedNoiseMeters * generator.gaussian()
    }

    /// Lets time pass.
    mutating func advance(seconds: Double, using generator: inout SeededGenerator) {
        let kept = exp(-seconds / Self.correlationSeconds)
        let fresh = Self.correlatedNoiseMeters * (1 - kept * kept).squareRoot()
        east = east * kept + fresh * generator.gaussian()
        north = north * kept + fresh * generator.gaussian()
        up = up * kept + fresh * generator.gaussian()
    }

    /// Where the receiver believes to be.
    func perturbed(_ place: RoutePlane.Point, using generator: inout SeededGenerator) -> RoutePlane.Point {
        RoutePlane.Point(
            east: place.east + east + Self.whiteNoiseMeters * generator.gaussian(),
            north: place.north + north + Self.whiteNoiseMeters * generator.gaussian())
    }

    /// The error of the height, metres: half as large again as the horizontal one, as satellites are only above.
    var heightErrorMeters: Double { 1.5 * up }
}
