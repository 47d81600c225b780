import CivilTime
import Geodesy

/// By how much a receiver gives speeds too low, learned on the straight: their integral against the positions.
///
/// A Doppler speed errs by chance only, but not every speed that a receiver gives is one: phones filter low speeds and
/// hold them at 0, and what they give on a bicycle is 5 to 8 % too little. Positions do not know of that, and over a
/// stretch their noise is small against the way. Only what is certain is made good, so that for a receiver whose speeds are
/// right nothing changes. And only what is missing: no way is shorter than the line between its ends, while one that is
/// longer may have had a bend.
struct SpeedCalibration: Equatable, Sendable, Codable {
    /// A stretch is so long, seconds: long enough that the noise of its ends is small against it, short enough that many
    /// are straight.
    private static let stretchSeconds = 20.0
    /// And its bends are looked for at points that are so far apart, seconds.
    private static let pointSeconds = 5.0
    /// A stretch is straight where the line through its points is longer than that between its ends by no more than this
    /// part of it.
    private static let largestBend = 0.01
    /// The line is at least so many standard errors of its ends long.
    private static let minimumSignal = 40.0
    /// One standard deviation of what receivers' speeds are off beforehand, as a part of them: most by nothing, phones by
    /// some per cent.
    private static let priorSpread = 0.03
    /// Speeds that are filtered come late, seconds: by so much, times what it changed, the integral is off.
    private static let lagSeconds = 1.0
    /// What was seen is forgotten with this way, metres: who carries the receiver changes from a vehicle to a bicycle.
    private static let memoryMeters = 5000.0

    private var start: Fix?
    private var point: Fix?
    /// The line through the points, metres.
    private var pointMeters = 0.0
    /// The integral of the speeds, metres.
    private var integralMeters = 0.0

    /// The sums of least squares over the stretches: of the squares of their integrals, and of these times what was missing,
    /// each over the variance.
    private var squareSum = 0.0
    private var shortfallSum = 0.0

    /// The way by the speeds since the last stretch, metres: the next one tells how good it is.
    private var uncalibratedMeters = 0.0
    private var calibratedErrorMeters = 0.0

    /// What is missing of a way by the speeds, as a part of it, ≥ 0, as far as it is certain: nothing below two standard
    /// errors, all of it from four on (a firm threshold: Gao and Bruce 1997).
    var correction: Double {
        let seen = estimate
        return Self.thresholded(seen.share, standardError: seen.standardError)
    }

    static func thresholded(_ share: Double, standardError: Double) -> Double {
        min(max(2 * (share - 2 * standardError), 0), share)
    }

    /// One standard error of the way by the speeds that is the same in every leg, metres: what may be missing of it and
    /// was not made good.
    var errorMeters: Double { calibratedErrorMeters + residualError * uncalibratedMeters }

    /// One standard error of the share: most receivers' speeds are right, so what hardly shows is hardly there.
    private var residualError: Double {
        let seen = estimate
        guard seen.standardError > 0 else { return 0 }
        return min(seen.share * seen.share / (4 * seen.standardError), seen.standardError)
    }

    /// What the stretches show, with what is known beforehand: ≥ 0.
    private var estimate: (share: Double, standardError: Double) {
        guard squareSum > 0 else { return (0, 0) }
        let information = squareSum + 1 / (Self.priorSpread * Self.priorSpread)
        return (max(shortfallSum / information, 0), (1 / information).squareRoot())
    }

    /// A way by the speeds was counted.
    mutating func count(meters: Double) {
        uncalibratedMeters += meters
    }

    /// The error begins at 0.
    mutating func resetError() {
        (uncalibratedMeters, calibratedErrorMeters) = (0, 0)
    }

    /// The next fix has nothing to do with the last one, and no place is kept.
    mutating func interrupt() {
        (start, point) = (nil, nil)
    }

    /// Takes the next fix of an unbroken drive.
    /// - Parameter meters: the integral of the speeds since the fix before.
    mutating func update(with fix: Fix, integralMeters meters: Double) {
        guard let start, let point else {
            begin(at: fix)
            return
        }
        integralMeters += meters
        if fix.timestamp.seconds(since: point.timestamp) >= Self.pointSeconds {
            pointMeters += point.coordinate.distanceMeters(to: fix.coordinate)
            self.point = fix
        }
        guard fix.timestamp.seconds(since: start.timestamp) >= Self.stretchSeconds else { return }
        if let last = self.point, last.timestamp != fix.timestamp {
            pointMeters += last.coordinate.distanceMeters(to: fix.coordinate)
        }
        learn(from: start, to: fix)
        begin(at: fix)
    }

    private mutating func begin(at fix: Fix) {
        (start, point) = (fix, fix)
        (pointMeters, integralMeters) = (0, 0)
    }

    private mutating func learn(from start: Fix, to end: Fix) {
        let line = start.coordinate.distanceMeters(to: end.coordinate)
        let drift = ReceiverErrorModel.driftMeters(
            accuracyMeters: max(start.assumedAccuracyMeters, end.assumedAccuracyMeters))
        guard line >= Self.minimumSignal * drift, pointMeters <= (1 + Self.largestBend) * line else { return }
        let before = correction
        let change = (end.speedMetersPerSecond ?? 0) - (start.speedMetersPerSecond ?? 0)
        let lag = Self.lagSeconds * change
        let variance = 2 * drift * drift + lag * lag
        let keep = Self.memoryMeters / (Self.memoryMeters + line)
        squareSum = keep * squareSum + integralMeters * integralMeters / variance
        shortfallSum = keep * shortfallSum + integralMeters * (line - integralMeters) / variance
        calibratedErrorMeters += (residualError + abs(correction - before)) * uncalibratedMeters
        uncalibratedMeters = 0
    }
}
