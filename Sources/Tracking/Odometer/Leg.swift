import CivilTime
import Geodesy
import Glibc

/// The way between two fixes, and how wrong it can be.
struct Leg: Hashable {
    /// How long it was, metres.
    var meters: Double
    /// The squared standard error of its chance part, m².
    var varianceSquareMeters: Double
    /// The standard error of its scale, which is the same in every leg, metres.
    var scaleMeters: Double
    /// The standard error of what ways are longer than the lines between their points in the mean, which is the same in
    /// every leg of a drive, metres; beside that of the scale, since the roads know nothing of the receiver.
    var detourMeters = 0.0

    /// Up to this many seconds between two fixes the integral of their Doppler speeds is the way: it is right to some
    /// centimetres a second, follows every bend and knows no multipath.
    private static let dopplerSpanSeconds = 3.0
    /// One standard error of a way as a part of it, the same for hours: the receiver's filter, slopes (0.05 % at
    /// 3 %), and the measure that it is held against, since tyres wear by 1 to 2 % of their circumference.
    private static let scale = 0.006
    /// How much longer a way is than the straight line, in parts of it and for each second between its ends. Positions
    /// of real drives lose 0.8 % at 10 s, 3.4 % at 30 s and 6.6 % at 60 s.
    private static let detourPerSecond = 0.0011
    /// One standard error of that as a part of it, the same for a drive: a motorway has none, a town's streets have twice.
    private static let detourSpread = 0.5
    /// However long it took, roads are hardly longer than this over the straight line (Boscoe et al. 2012: 1.42).
    private static let largestDetour = 0.4
    /// How long the heading at a fix tells of the way, seconds: by then about half of what ways are longer than their lines
    /// is in bends that neither of two headings shows. Streets bend and cross each half minute or so, motorways seldom.
    private static let headingSeconds = 30.0
    /// Below this speed a heading is the receiver's noise, m/s.
    private static let headingSpeedMetersPerSecond = 2.0

    init(from start: Fix, to end: Fix) {
        let seconds = max(end.timestamp.seconds(since: start.timestamp), 0)
        let straight = start.coordinate.distanceMeters(to: end.coordinate)
        let accuracy = max(
            start.accuracyMeters ?? FixNoise.assumedAccuracyMeters, end.accuracyMeters ?? FixNoise.assumedAccuracyMeters
        )
        let drift = FixNoise.driftMeters(accuracyMeters: accuracy)
        guard let from = start.speedMetersPerSecond, let to = end.speedMetersPerSecond else {
            self.init(straight: straight, seconds: seconds, drift: drift)
            return
        }
        let integral = (from + to) / 2 * seconds
        guard seconds <= Self.dopplerSpanSeconds else {
            let bend = Self.bend(from: start, to: end)
            self.init(
                straight: straight * (1 + (bend ?? 0)), integral: integral, seconds: seconds,
                unseen: bend == nil ? 1 : seconds / (seconds + Self.headingSeconds), drift: drift)
            return
        }
        self.init(straight: straight, integral: integral, seconds: seconds, drift: drift, accuracy: accuracy)
    }

    /// With speeds often: their integral.
    private init(straight: Double, integral: Double, seconds: Double, drift: Double, accuracy: Double) {
        let noise = FixNoise.dopplerMetersPerSecond(accuracyMeters: accuracy) * seconds
        // Positions far ahead of the speed: it was a speed of another moment.
        let isBehind = straight > integral + 4 * (drift + noise)
        meters = isBehind ? straight : integral
        varianceSquareMeters = isBehind ? drift * drift : noise * noise / 2
        scaleMeters = meters * Self.scale
    }

    /// Without speeds: the straight line and what ways are longer than it in the mean.
    private init(straight: Double, seconds: Double, drift: Double) {
        let detour = straight * min(Self.detourPerSecond * seconds, Self.largestDetour)
        meters = straight + detour
        varianceSquareMeters = drift * drift + detour * detour
        scaleMeters = straight * Self.scale
        detourMeters = detour * Self.detourSpread
    }

    /// With speeds seldom: the way is longer than the line, or than the curve that the headings at its ends tell, by an amount
    /// that is exponentially distributed; of that curve by the part of it that they do not tell, from 0 to 1. The speeds
    /// at both ends measure it with an error that grows with time. What is most likely of both is a normal distribution
    /// cut off at the line.
    private init(straight: Double, integral: Double, seconds: Double, unseen: Double, drift: Double) {
        let detour = max(straight, 1) * min(Self.detourPerSecond * seconds, Self.largestDetour)
        let mean = detour * unseen
        let change = FixNoise.integralMeters(overSeconds: seconds)
        let variance = change * change + drift * drift
        let deviation = variance.squareRoot()
        let cut = CutNormal(mean: integral - straight - variance / mean, deviation: deviation)
        meters = straight + cut.mean
        varianceSquareMeters = cut.variance + drift * drift
        scaleMeters = straight * Self.scale
        detourMeters = detour * unseen.squareRoot() * Self.detourSpread
    }

    /// How much longer a curve is that leaves and arrives in the reported directions (the cubic of Hermite), in parts of
    /// the straight line; nil where a heading is not known.
    private static func bend(from start: Fix, to end: Fix) -> Double? {
        guard let from = start.headingDegrees, let to = end.headingDegrees,
            let slow = [start.speedMetersPerSecond, end.speedMetersPerSecond].compactMap({ $0 }).min(),
            slow >= headingSpeedMetersPerSecond
        else { return nil }
        let line = start.coordinate.initialHeadingDegrees(to: end.coordinate)
        let leaving = max(-90, min(90, headingDifferenceDegrees(line, from))) * .pi / 180
        let arriving = max(-90, min(90, headingDifferenceDegrees(line, to))) * .pi / 180
        return (2 * leaving * leaving + 2 * arriving * arriving - leaving * arriving) / 30
    }
}

/// A normal distribution of which only what is not negative can be.
private struct CutNormal {
    let mean: Double
    let variance: Double

    init(mean: Double, deviation: Double) {
        let z = mean / deviation
        // Far below 0 it is an exponential distribution.
        guard z > -6 else {
            self.mean = -deviation / z
            variance = self.mean * self.mean
            return
        }
        let share = 0.5 * erfc(-z / 2.0.squareRoot())
        let ratio = exp(-z * z / 2) / (2 * Double.pi).squareRoot() / share
        self.mean = mean + deviation * ratio
        variance = max(deviation * deviation * (1 - z * ratio - ratio * ratio), 0)
    }
}
