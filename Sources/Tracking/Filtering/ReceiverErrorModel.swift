import Glibc
import OdographModel

/// The errors of receivers: defaults for missing values, and the change of errors over some seconds.
enum ReceiverErrorModel {
    /// The assumed accuracy of a fix without one, metres. The GPS standard positioning service gives ≤ 8 m at 95 %
    /// under an open sky (GPS SPS Performance Standard, 5th ed., 2020); streets are assumed to double it.
    static let assumedAccuracyMeters = 16.0
    /// The likely accuracy of a fix without one, metres: the value of that standard, unless the worst case matters.
    static let openSkyAccuracyMeters = 8.0
    /// The level of jamming from which a receiver's positions prove nothing. Receivers that tell only the kind of the
    /// fault have 1 for a jammer and a half for a deceiver; an undisturbed u-blox receiver has up to 0.15.
    static let jammedLevel = 0.5
    /// The largest change of a road vehicle's speed, m/s² (emergency braking on dry asphalt is about 9).
    static let maximumAccelerationMetersPerSecondSquared = 10.0

    /// Returns the drift of a position within some seconds, one standard error in metres. Most of a position's error
    /// stays the same for minutes (El-Rabbany and Kleusberg 2003). The rest is a fifth of the 95 % radius (a tenth as a
    /// standard error), plus a constant for the resolution of coordinates and a receiver's filter.
    static func driftMeters(accuracyMeters: Double) -> Double { 0.5 + 0.1 * accuracyMeters }

    /// Returns the drift between two fixes, by the worse accuracy, one standard error in metres.
    static func driftMeters(from start: Fix, to end: Fix) -> Double {
        driftMeters(accuracyMeters: max(start.assumedAccuracyMeters, end.assumedAccuracyMeters))
    }

    /// Returns the standard error of a Doppler speed, m/s: 0.1 under an open sky (GPS SPS: ≤ 0.2 m/s at 95 %). It grows
    /// with the position's error, since both depend on the same satellites and reflections.
    static func dopplerErrorMetersPerSecond(accuracyMeters: Double) -> Double { 0.1 + 0.03 * accuracyMeters }

    /// The highest speed that a receiver may hold at 0, m/s. Receivers, phones above all, hold low speeds at 0, even at
    /// a walk; the fastest gait of adults is up to 2.5 (Bohannon and Williams 2011).
    static let staticHoldMetersPerSecond = 3.0

    /// The standard error of the distance of a halt whose speed a receiver reports as exactly 0, metres. It hides the
    /// creeping below its threshold before and after the halt: at 0.3 m/s, the usual resolution, some seconds each.
    static let speedHoldErrorMeters = 0.5

    /// The longest interval between speeds that still limits the movement between them, seconds.
    static let maximumSpeedIntervalSeconds = 5.5

    /// Returns the highest speed that reported speeds allow, m/s: two standard errors more.
    /// - Parameters:
    ///   - speed: the higher one of the reported speeds, m/s.
    ///   - isStaticHold: whether one of them was exactly 0, which is no measurement.
    ///   - noise: the standard error, m/s.
    static func maximumSpeedMetersPerSecond(reported speed: Double, isStaticHold: Bool, noise: Double) -> Double {
        max(speed + 2 * noise, isStaticHold ? staticHoldMetersPerSecond : 0)
    }

    /// The longest multipath jump, metres. A reflection across a street some tens of metres wide is late by 100 m at
    /// most, and satellites on one side of the sky add half of that. A longer step is no jump, whatever the speeds say.
    static let maximumMultipathJumpMeters = 150.0

    /// Returns the change of a speed over time, one standard deviation in m/s: after the first second a random walk of
    /// 1 m/s in each, limited to 5 m/s, the range of speeds in a drive.
    static func speedChangeMetersPerSecond(withinSeconds seconds: Double) -> Double {
        let walk = max(seconds - 1, 0)
        return (walk * speedCorrelationSeconds / (walk + speedCorrelationSeconds)).squareRoot()
    }

    /// The time after which the variance of the change is half its limit, seconds; the limit is 25 m²/s².
    private static let speedCorrelationSeconds = 25.0

    /// Returns the error of the distance (mean of the speeds at both ends times the time), one standard deviation in
    /// metres.
    ///
    /// The speed is an Ornstein-Uhlenbeck process (1930) that begins like
    /// ``speedChangeMetersPerSecond(withinSeconds:)``. Over some seconds the error is the integral of a random walk
    /// between its ends, `t^1.5 / √12`. Over minutes it is far larger, since two values say little about the time
    /// between.
    static func speedIntegralErrorMeters(overSeconds seconds: Double) -> Double {
        let x = seconds / speedCorrelationSeconds
        let left = exp(-x)
        let variance = x * x * (1 + left) / 2 - 2 * x * (1 - left) + 2 * (x - 1 + left)
        return (max(variance, 0) * speedCorrelationSeconds / 2).squareRoot() * speedCorrelationSeconds
    }
}

extension Fix {
    /// The reported accuracy or the assumed one, metres.
    var assumedAccuracyMeters: Double { accuracyMeters ?? ReceiverErrorModel.assumedAccuracyMeters }

    /// The reported accuracy or the likely one, metres; for uses that need no worst case.
    var likelyAccuracyMeters: Double { accuracyMeters ?? ReceiverErrorModel.openSkyAccuracyMeters }
}

extension Fix {
    /// Whether the receiver says that it is jammed or deceived.
    var isJammed: Bool { jammingLevel ?? 0 >= ReceiverErrorModel.jammedLevel }
}
