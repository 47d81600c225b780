import CivilTime
import Geodesy
import Glibc

/// A way and how wrong it can be: that between two fixes, and the sum of such.
struct SegmentDistance: Equatable, Sendable, Codable {
    /// How long it was, metres.
    var meters = 0.0
    /// The squared standard error of its chance part, m².
    var varianceSquareMeters = 0.0
    /// The standard error of its scale, which is the same in every leg, metres.
    var scaleMeters = 0.0
    /// The standard error of what ways are longer than the lines between their points in the mean, which is the same in
    /// every leg of a drive, metres; beside that of the scale, since the roads know nothing of the receiver.
    var detourMeters = 0.0
    /// How much of it is known by speeds alone, metres.
    private(set) var dopplerMeters = 0.0
    /// What it tells of how winding the roads are.
    private(set) var tortuosity = Tortuosity.Sum()

    /// No way.
    init() {}

    /// Up to this many seconds between two fixes the integral of their Doppler speeds is the way: it is right to some
    /// centimetres a second, follows every bend and knows no multipath.
    static let dopplerSpanSeconds = 3.0
    /// One standard error of a way as a part of it, the same for hours: the receiver's filter, slopes (0.05 % at
    /// 3 %), and the measure that it is held against, since tyres wear by 1 to 2 % of their circumference.
    private static let relativeScaleError = 0.006

    /// - Parameter winding: how winding the way has been before.
    init(from start: Fix, to end: Fix, tortuosity: Tortuosity) {
        let seconds = max(end.timestamp.seconds(since: start.timestamp), 0)
        let straight = start.coordinate.distanceMeters(to: end.coordinate)
        let accuracy = max(start.assumedAccuracyMeters, end.assumedAccuracyMeters)
        let drift = ReceiverErrorModel.driftMeters(accuracyMeters: accuracy)
        if seconds <= Self.dopplerSpanSeconds, let from = start.speedMetersPerSecond, let to = end.speedMetersPerSecond
        {
            let integral = (from + to) / 2 * seconds
            self.init(straight: straight, integral: integral, seconds: seconds, drift: drift, accuracy: accuracy)
            return
        }
        self.init(
            straight: straight, drift: drift,
            detour: RoadDetour(
                from: start, to: end, straight: straight, seconds: seconds, drift: drift, tortuosity: tortuosity),
            seconds: seconds, lineDegrees: start.coordinate.initialHeadingDegrees(to: end.coordinate))
    }

    /// With speeds often: their integral.
    private init(straight: Double, integral: Double, seconds: Double, drift: Double, accuracy: Double) {
        let noise = ReceiverErrorModel.dopplerErrorMetersPerSecond(accuracyMeters: accuracy) * seconds
        // Positions far ahead of the speed: it was a speed of another moment, or the time between is not what it seems, and
        // then the way may have been as much longer as ways are.
        let isBehind = straight > integral + 4 * (drift + noise)
        let detour = Tortuosity.largestDetour * (straight - integral)
        meters = isBehind ? straight : integral
        varianceSquareMeters = isBehind ? drift * drift + detour * detour : noise * noise / 2
        scaleMeters = meters * Self.relativeScaleError
        dopplerMeters = isBehind ? 0 : integral
    }

    /// Seldom: the straight line and what the way was longer.
    private init(straight: Double, drift: Double, detour: RoadDetour, seconds: Double, lineDegrees: Double) {
        meters = straight + detour.meters
        varianceSquareMeters = drift * drift + detour.varianceSquareMeters
        scaleMeters = straight * Self.relativeScaleError
        detourMeters = detour.systematicMeters
        tortuosity = Tortuosity.Sum(
            straightMeters: straight * detour.evidence, detourMeters: detour.meters * detour.evidence, seconds: seconds,
            lineDegrees: lineDegrees)
    }

    /// And another after it.
    static func += (sum: inout SegmentDistance, leg: SegmentDistance) {
        sum.meters += leg.meters
        sum.varianceSquareMeters += leg.varianceSquareMeters
        sum.scaleMeters += leg.scaleMeters
        sum.detourMeters += leg.detourMeters
        sum.dopplerMeters += leg.dopplerMeters
        sum.tortuosity += leg.tortuosity
    }
}
