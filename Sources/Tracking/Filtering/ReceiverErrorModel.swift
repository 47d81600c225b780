import Glibc

/// What is assumed of a receiver that does not say it, and of what its figures mean over some seconds.
enum ReceiverErrorModel {
    /// The accuracy of a fix without one, metres. The GPS standard positioning service gives ≤ 8 m at 95 % in the open
    /// (GPS SPS Performance Standard, 5th ed., 2020); twice that for streets.
    static let assumedAccuracyMeters = 16.0
    /// The same standard's figure itself: what is likely, where the worst case is not the question.
    static let openSkyAccuracyMeters = 8.0
    /// No road vehicle's speed changes faster than this, m/s² (emergency braking on dry asphalt is about 9).
    static let maximumAccelerationMetersPerSecondSquared = 10.0

    /// How far a position wanders within some seconds beside the movement, one standard error in metres. Most of a
    /// position's error is the same a few seconds later (El-Rabbany and Kleusberg 2003: correlated over minutes); a
    /// fifth of the 95 % radius is left, and never less than what the coordinates' digits and a receiver's filter hide.
    static func driftMeters(accuracyMeters: Double) -> Double { 0.5 + 0.1 * accuracyMeters }

    /// One standard error of a Doppler speed, m/s: 0.1 in the open (GPS SPS: ≤ 0.2 m/s at 95 %), growing with the
    /// position's error, since both stand on the same satellites and reflections.
    static func dopplerErrorMetersPerSecond(accuracyMeters: Double) -> Double { 0.1 + 0.03 * accuracyMeters }

    /// Receivers, phones most of all, hold low speeds at 0: such a one may be that of a walk, and nobody walks faster than
    /// this, m/s (Bohannon and Williams 2011: fastest gait of adults up to 2.5).
    static let staticHoldMetersPerSecond = 3.0

    /// Speeds farther apart than this say too little of the time between to hold a way against, seconds.
    static let maximumSpeedIntervalSeconds = 5.5

    /// The fastest that it can have been by the speeds told, m/s: two standard errors more.
    /// - Parameters:
    ///   - speed: the larger one of those told, m/s.
    ///   - isHeld: whether one of them was 0 to the last digit, which is no measurement.
    ///   - noise: one standard error, m/s.
    static func maximumSpeedMetersPerSecond(reported speed: Double, isStaticHold: Bool, noise: Double) -> Double {
        max(speed + 2 * noise, isStaticHold ? staticHoldMetersPerSecond : 0)
    }

    /// A reflection from the other side of a street some tens of metres wide is late by 100 m at most, and satellites on one
    /// side of the sky make half as much more of it: what is farther off has not hopped, whatever the speeds say, metres.
    static let maximumMultipathJumpMeters = 150.0

    /// How much a speed has changed after a while, one standard deviation in m/s: a random walk of 1 m/s in a second,
    /// bounded by how much the speeds of a drive differ at all.
    static func speedChangeMetersPerSecond(withinSeconds seconds: Double) -> Double {
        let walk = max(seconds - 1, 0)
        return (walk * speedCorrelationSeconds / (walk + speedCorrelationSeconds)).squareRoot()
    }

    /// After so many seconds a speed is as different as it gets.
    private static let speedCorrelationSeconds = 25.0

    /// How far the mean of the speeds at both ends, times the time between, is from the way, one standard deviation in
    /// metres.
    ///
    /// Of a speed that forgets itself (Ornstein and Uhlenbeck 1930) and begins as ``speedChangeMetersPerSecond(withinSeconds:)`` does:
    /// over some seconds the integral of a random walk between its ends, `t^1.5 / √12`; over minutes far more, since two
    /// moments say little of what was between.
    static func speedIntegralErrorMeters(overSeconds seconds: Double) -> Double {
        let x = seconds / speedCorrelationSeconds
        let left = exp(-x)
        let variance = x * x * (1 + left) / 2 - 2 * x * (1 - left) + 2 * (x - 1 + left)
        return (max(variance, 0) * speedCorrelationSeconds / 2).squareRoot() * speedCorrelationSeconds
    }
}

extension Fix {
    /// The accuracy, or what is assumed of a receiver that does not say it, metres.
    var assumedAccuracyMeters: Double { accuracyMeters ?? ReceiverErrorModel.assumedAccuracyMeters }

    /// The accuracy, or what is likely of a receiver that does not say it, metres: where the worst case is not the question.
    var likelyAccuracyMeters: Double { accuracyMeters ?? ReceiverErrorModel.openSkyAccuracyMeters }
}
