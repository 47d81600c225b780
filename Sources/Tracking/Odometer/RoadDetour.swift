import OdographCivilTime
import OdographGeodesy
import Glibc
import OdographModel

/// The extra length of the road over the straight line between two sparse fixes.
///
/// The line is the displacement, so the missing part is the integral of v · (1 − cos φ), where φ is the angle between
/// heading and line. The integrand is known at both ends, where it is larger than between them: three times its mean on
/// an arc, twice on a road that turns at random, and less the longer the segment is than the memory of the heading.
struct RoadDetour: Equatable {
    /// The extra length, metres.
    var meters: Double
    /// The squared standard error of its random part, m².
    var varianceSquareMeters: Double
    /// The standard error that is common to all segments of a drive, metres.
    var systematicMeters: Double
    /// The share that the segment's own headings determine, not other segments, 0 to 1.
    var evidence: Double
    /// The detour that they indicate, metres: what the segment teaches about the roads.
    var indicatedMeters: Double
    /// The share of the length that the speeds at the ends determine, not the line, 0 to 1.
    var speedShare = 0.0

    /// The relative standard error of the detour that the headings at the ends indicate: the interior has a third of
    /// the value at the ends on an arc, half of it on a road that turns at random.
    private static let headingRelativeError = 0.3
    /// The largest variance of a line's direction that is corrected, square radians.
    private static let largestTurnVariance = 0.5
    /// The segment duration at which the headings at the ends determine half of the detour, seconds. In a town a corner
    /// comes about every half minute, so ten minutes are a whole errand.
    private static let headingMemorySeconds = 600.0
    /// The relative standard error of the detour that straight lines alone indicate: between a third on an arc and all
    /// on a road that turns at random.
    private static let turnRelativeError = 0.5
    /// The largest half turn that counts as a bend, degrees. Beyond it the vehicle turned round on the same road.
    private static let largestHalfTurnDegrees = 60.0
    /// The segment duration at which lines show half of the bends, seconds: about the time to take a corner, with
    /// braking and acceleration. Shorter bends do not show.
    private static let cornerSeconds = 20.0
    /// The largest turn within a segment on the same course, degrees.
    private static let sameCourseDegrees = 30.0
    /// The factor on the error of the mean speed. Speeds at the ends represent a single segment worse than many of them
    /// represent a drive, since vehicles are slower in bends.
    private static let speedErrorFactor = 2.0

    /// The detour that the segment itself indicates, apart from its length.
    private struct Estimate {
        /// The detour as far as there is evidence, metres.
        var meters: Double
        /// Its standard error, common to all segments, metres.
        var errorMeters: Double
        /// The share of the segment that it covers, 0 to 1.
        var evidence: Double
    }

    /// The time of a silence after which the vehicle has probably parked, seconds.
    private static let parkingSeconds = 500.0

    /// Returns the chance that a vehicle has not parked in a silence, 0 to 1.
    static func drivingShare(ofSilence seconds: Double) -> Double { exp(-seconds / parkingSeconds) }

    /// Estimates the detour.
    /// - Parameters:
    ///   - straight: the straight line between the fixes, metres.
    ///   - seconds: the time between them.
    ///   - drift: the standard error of the line, metres.
    ///   - noise: the independent noise of positions, metres.
    ///   - tortuosity: the tortuosity of the roads before.
    init(
        from start: Fix, to end: Fix, straight: Double, seconds: Double, drift: Double, noise: Double,
        tortuosity: Tortuosity
    ) {
        let share = tortuosity.detourRatio(
            overSeconds: seconds, at: straight / max(seconds, 1))
        let integral = Self.integralMeters(from: start, to: end, seconds: seconds)
        let line = start.coordinate.initialHeadingDegrees(to: end.coordinate)
        let part = Self.interiorShare(detourRatio: share)
        let told =
            Self.headingEstimate(
                of: [start, end], offLineOf: line, straight: straight, noise: noise, integral: integral,
                seconds: seconds, part: part)
            ?? Self.turnEstimate(
                from: tortuosity.lineDegrees, to: line, straight: straight, seconds: seconds, drift: drift, part: part)
        evidence = told.evidence
        indicatedMeters = told.meters
        let mean = (1 - evidence) * straight * share
        let expected = mean + told.meters
        let shared = mean * tortuosity.relativeStandardError(overSeconds: seconds) + told.errorMeters
        // The variance of a sum of random bends is their expected number times the square of the detour of one.
        let single = share * max(straight, drift)
        let chance = tortuosity.varianceFactor(overSeconds: seconds)
        let variance = max(expected, 0) * max(chance * single, expected / 2)
        guard let integral else {
            (meters, varianceSquareMeters, systematicMeters) = (expected, variance, shared)
            return
        }
        // The speeds at both ends measure the length as well.
        let change = Self.speedErrorFactor * ReceiverErrorModel.speedIntegralErrorMeters(overSeconds: seconds)
        let course = CourseStep(
            from: start, to: end, lineDegrees: line, largestTurnDegrees: Self.sameCourseDegrees)
        let oblique = course?.asideMeters(ofLine: straight) ?? 0
        // Which of the two counts does not depend on whether shorter lines tell about this one: that is an error of all
        // long segments, and speeds at the ends err alike there, too, since a silence often begins or ends with a halt.
        let usual = max(expected, 0) * max(tortuosity.varianceFactor(overSeconds: 0) * single, expected / 2)
        // Errors of a line cancel from one line to the next, unless they are independent.
        let unknown = usual + oblique * oblique + 2 * noise * noise
        let gain = unknown / (unknown + change * change + drift * drift)
        speedShare = gain
        // The noise of the line can make it longer than the road. Cut off at 0, it would lengthen every straight road.
        let cut = 2 * (drift * drift + 2 * noise * noise).squareRoot()
        meters = max(expected + gain * (integral - straight - expected), -min(cut, straight))
        varianceSquareMeters = (1 - gain) * (variance + oblique * oblique)
        systematicMeters = (1 - gain) * shared
    }

    /// Returns the mean of the speeds at both ends times the time, metres; nil if a speed is unknown.
    private static func integralMeters(from start: Fix, to end: Fix, seconds: Double) -> Double? {
        guard let from = start.speedMetersPerSecond, let to = end.speedMetersPerSecond else { return nil }
        return (from + to) / 2 * seconds
    }

    /// Returns the mean detour density inside a segment as a share of that at its ends.
    ///
    /// It is a third on a nearly straight road and five sixths on a road without any direction. Between them p = 1/3 +
    /// (lost / p) / 2, whose positive root is returned; lost is the share that is missing at the ends. The chain of
    /// Kratky and Porod (1949), whose direction wanders, has 0.61 at a loss of one half and 0.75 at three quarters;
    /// this function gives 0.58 and 0.71.
    /// - Parameter share: the extra length as a share of the line.
    static func interiorShare(detourRatio share: Double) -> Double {
        let lost = share / (1 + share)
        return min(1 / 6.0 + (1 / 9.0 + 2 * lost).squareRoot() / 2, 5 / 6.0)
    }

    /// Returns the detour from the speed components off the line at both ends; nil if a heading or speed is unknown.
    private static func headingEstimate(
        of fixes: [Fix], offLineOf line: Double, straight: Double, noise deviation: Double, integral: Double?,
        seconds: Double, part: Double
    ) -> Estimate? {
        guard let integral else { return nil }
        // The noise of both ends turns the line, which makes its cosine with a heading smaller by this factor.
        let turn = exp(min(deviation * deviation / max(straight * straight, 1), largestTurnVariance / 2))
        var across = 0.0
        var noise = 0.0
        for fix in fixes {
            guard let speed = fix.speedMetersPerSecond, speed >= MovementBounds.stationaryMetersPerSecond else {
                continue
            }
            guard let heading = fix.headingDegrees else { return nil }
            across += speed * (1 - turn * cos(headingDifferenceDegrees(line, heading) * .pi / 180)) / 2
            // Noise across the velocity makes it longer by this.
            let error = ReceiverErrorModel.dopplerErrorMetersPerSecond(accuracyMeters: fix.likelyAccuracyMeters)
            noise += error * error / (2 * max(speed, error)) / 2
        }
        let memory =
            headingMemorySeconds / (seconds + headingMemorySeconds) * drivingShare(ofSilence: seconds)
        let meters = memory * part * across * seconds
        // An end at rest gives no evidence about the segment.
        return Estimate(
            meters: meters, errorMeters: abs(meters) * headingRelativeError + memory * noise * seconds,
            evidence: straight > 0 ? memory * min(integral / straight, 1) : 0)
    }

    /// Returns the detour from the turn between the previous line and this one: where they meet, the heading is off
    /// each by about half the turn.
    ///
    /// That is as much as at the ends of an arc, half as much on a road that turns at random, and it is one end of two.
    private static func turnEstimate(
        from before: Double?, to line: Double, straight: Double, seconds: Double, drift: Double, part: Double
    ) -> Estimate {
        guard let before, straight > 0 else { return Estimate(meters: 0, errorMeters: 0, evidence: 0) }
        let half = min(abs(headingDifferenceDegrees(before, line)) / 2, largestHalfTurnDegrees) * .pi / 180
        let evidence = seconds / (seconds + cornerSeconds) * headingMemorySeconds / (seconds + headingMemorySeconds) / 2
        // The noise of the three positions turns the lines as well: by its variance, 1 + 4 + 1 times that of a
        // position.
        let noise = 6 * drift * drift / (straight * straight) / 8
        let meters = evidence * 2 * part * straight * max(1 / cos(half) - 1 - noise, -noise)
        return Estimate(
            meters: meters, errorMeters: meters * turnRelativeError + evidence * drift * drift / straight,
            evidence: evidence)
    }
}
