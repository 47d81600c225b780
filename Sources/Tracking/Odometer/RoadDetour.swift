import CivilTime
import Geodesy
import Glibc

/// By how much the way between two seldom fixes was longer than the straight line.
///
/// The line is what the vehicle made good, so what is missing is the part of its speed that did not go along the line:
/// the integral of v · (1 − cos φ), φ being how far the heading is off the line. It is known at both ends, and there it is
/// larger than between, where the headings go over from one side of the line to the other: on an arc three times as
/// large, on a way that turns at random twice, and the less the longer the way is than its memory of direction.
struct RoadDetour: Equatable {
    /// How much longer it was, metres.
    var meters: Double
    /// The squared standard error of its chance part, m².
    var varianceSquareMeters: Double
    /// The standard error of what errs alike on all of a drive, metres.
    var systematicMeters: Double
    /// How much of it was told by its own headings and not by other legs, 0 to 1.
    var evidence: Double

    /// One standard error of the part that the way between has of what the ends tell, as a part of it: between an arc, a
    /// third, and a way that turns at random, half.
    private static let headingRelativeError = 0.3
    /// By then the headings at the ends tell half of the way between, seconds: corners of a town come each half minute or
    /// so, so that ten minutes are a whole errand.
    private static let headingMemorySeconds = 600.0
    /// One standard error of that where lines alone tell it: between an arc, a third of it, and a way that turns at random, all of it.
    private static let turnRelativeError = 0.5
    /// Who turns round comes back on the same way: beyond this the turn is no bend, degrees.
    private static let largestHalfTurnDegrees = 60.0
    /// Lines tell of bends that are short against them: by then they show half of it, seconds. To take a corner, with
    /// slowing down and setting off again, takes about as long.
    private static let cornerSeconds = 20.0
    /// A leg's speeds are not told by those at its ends as well as those of a drive by many: where ways bend, they are
    /// slower. So the error of their mean counts twice.
    private static let speedErrorFactor = 2.0

    /// What a leg itself tells of its detour, beside its length.
    private struct Estimate {
        /// The detour, as far as it is told, metres.
        var meters: Double
        /// The standard error of it that is the same in every leg, metres.
        var errorMeters: Double
        /// How much of the leg it tells of, 0 to 1.
        var evidence: Double
    }

    /// - Parameters:
    ///   - straight: the line between the fixes, metres.
    ///   - seconds: the time between them.
    ///   - drift: one standard error of the line, metres.
    ///   - winding: how winding the way has been before.
    init(from start: Fix, to end: Fix, straight: Double, seconds: Double, drift: Double, tortuosity: Tortuosity) {
        let share = tortuosity.detourRatio(overSeconds: seconds)
        let integral = Self.integralMeters(from: start, to: end, seconds: seconds)
        let line = start.coordinate.initialHeadingDegrees(to: end.coordinate)
        let part = Self.interiorShare(detourRatio: share)
        let told =
            Self.headingEstimate(
                of: [start, end], offLineOf: line, straight: straight, integral: integral, seconds: seconds, part: part)
            ?? Self.turnEstimate(
                from: tortuosity.lineDegrees, to: line, straight: straight, seconds: seconds, drift: drift, part: part)
        evidence = told.evidence
        let mean = (1 - evidence) * straight * share
        let expected = mean + told.meters
        let shared = mean * tortuosity.relativeStandardError(overSeconds: seconds) + told.errorMeters
        // Of bends that come by chance the variance is their mean number times the square of what one makes.
        let chance = tortuosity.varianceFactor(overSeconds: seconds)
        let variance = expected * max(chance * share * max(straight, drift), expected / 2)
        guard let integral else {
            (meters, varianceSquareMeters, systematicMeters) = (expected, variance, shared)
            return
        }
        // The speeds at both ends measure the way as well.
        let change = Self.speedErrorFactor * ReceiverErrorModel.speedIntegralErrorMeters(overSeconds: seconds)
        let gain = variance / (variance + change * change + drift * drift)
        meters = max(expected + gain * (integral - straight - expected), 0)
        varianceSquareMeters = (1 - gain) * variance
        systematicMeters = (1 - gain) * shared
    }

    /// The mean of the speeds at both ends, times the time; nil where one is not known.
    private static func integralMeters(from start: Fix, to end: Fix, seconds: Double) -> Double? {
        guard let from = start.speedMetersPerSecond, let to = end.speedMetersPerSecond else { return nil }
        return (from + to) / 2 * seconds
    }

    /// What the way between has on average of what the headings at the ends tell, as a part of it.
    ///
    /// A third where the way is nearly straight, five sixths where it keeps no direction at all, and between them in
    /// proportion to what is lost at the ends: p = 1/3 + (lost / p) / 2, of which this is the positive root. The chain of
    /// Kratky and Porod (1949), whose direction wanders, has 0.61 where half is lost there and 0.75 where three quarters
    /// are: this gives 0.58 and 0.71.
    /// - Parameter share: by how much the way is longer than the line, in parts of it.
    static func interiorShare(detourRatio share: Double) -> Double {
        let lost = share / (1 + share)
        return min(1 / 6.0 + (1 / 9.0 + 2 * lost).squareRoot() / 2, 5 / 6.0)
    }

    /// By the part of the speed at both ends that does not go along the line; nil where a heading is not known.
    private static func headingEstimate(
        of fixes: [Fix], offLineOf line: Double, straight: Double, integral: Double?, seconds: Double, part: Double
    ) -> Estimate? {
        guard let integral else { return nil }
        var across = 0.0
        var noise = 0.0
        for fix in fixes {
            guard let speed = fix.speedMetersPerSecond, speed >= Odometer.stationaryMetersPerSecond else { continue }
            guard let heading = fix.headingDegrees else { return nil }
            across += speed * (1 - cos(headingDifferenceDegrees(line, heading) * .pi / 180)) / 2
            // A velocity with noise across it is longer by this.
            let error = ReceiverErrorModel.dopplerErrorMetersPerSecond(accuracyMeters: fix.likelyAccuracyMeters)
            noise += error * error / (2 * max(speed, error)) / 2
        }
        let memory = headingMemorySeconds / (seconds + headingMemorySeconds)
        let meters = memory * part * across * seconds
        // Who stands at an end tells nothing there of the way.
        return Estimate(
            meters: meters, errorMeters: meters * headingRelativeError + memory * noise * seconds,
            evidence: straight > 0 ? memory * min(integral / straight, 1) : 0)
    }

    /// By the turn from the line before to this one: where they meet, the heading is about half of it off both.
    ///
    /// On an arc as far as at the ends, on a way that turns at random half as much; and it is one end of two.
    private static func turnEstimate(
        from before: Double?, to line: Double, straight: Double, seconds: Double, drift: Double, part: Double
    ) -> Estimate {
        guard let before, straight > 0 else { return Estimate(meters: 0, errorMeters: 0, evidence: 0) }
        let half = min(abs(headingDifferenceDegrees(before, line)) / 2, largestHalfTurnDegrees) * .pi / 180
        let evidence = seconds / (seconds + cornerSeconds) * headingMemorySeconds / (seconds + headingMemorySeconds) / 2
        let meters = evidence * 2 * part * straight * (1 / cos(half) - 1)
        return Estimate(
            meters: meters, errorMeters: meters * turnRelativeError + evidence * drift * drift / straight,
            evidence: evidence)
    }
}
