import OdographCivilTime
import OdographGeodesy
import OdographModel

/// A distance and its error: between two fixes, or a sum of such segments.
struct SegmentDistance: Equatable, Sendable, Codable {
    /// The length, metres.
    var meters = 0.0
    /// The squared standard error of its random part, m².
    var varianceSquareMeters = 0.0
    /// The standard error of its scale, common to all segments, metres.
    var scaleMeters = 0.0
    /// The standard error of the mean road detour, common to all segments of a drive, metres. It is independent of the
    /// scale error, since roads do not depend on the receiver.
    var detourMeters = 0.0
    /// The part that the speeds measure, metres.
    private(set) var dopplerMeters = 0.0
    /// Its evidence about the tortuosity of the roads.
    private(set) var tortuosity = Tortuosity.Sum()

    /// Creates a distance of 0.
    init() {}

    /// The half width of the 95 % interval of a normal distribution, standard errors.
    static let boundInStandardErrors = 1.96
    /// The longest time between two fixes for which the integral of the Doppler speeds is the distance, seconds. The
    /// integral is accurate to some centimetres a second, follows every bend and has no multipath error.
    static let dopplerSpanSeconds = 3.0
    /// The relative standard error of the integral of the speeds, constant over hours: slopes of 3 %. Their scale has
    /// an error of its own (``SpeedJudgement``).
    private static let relativeIntegralError = 0.0005
    /// The same of lines, and of the scale of speeds that they teach. Their scale is right, but they cut bends.
    static let relativeLineError = 0.004
    /// The same of the vehicle's signals: the circumference of tyres changes with load and warmth.
    private static let relativeSignalError = 0.006

    /// - Parameters:
    ///   - tortuosity: the tortuosity of the roads before.
    ///   - deviation: the independent noise of positions, metres.
    init(from start: Fix, to end: Fix, tortuosity: Tortuosity, noiseMeters deviation: Double) {
        let seconds = max(end.timestamp.seconds(since: start.timestamp), 0)
        let accuracy = max(start.assumedAccuracyMeters, end.assumedAccuracyMeters)
        if seconds <= Self.dopplerSpanSeconds, let from = start.speedMetersPerSecond, let to = end.speedMetersPerSecond
        {
            self.init(integral: (from + to) / 2 * seconds, seconds: seconds, accuracy: accuracy)
            return
        }
        let line = start.coordinate.distanceMeters(to: end.coordinate)
        let excess = PositionLeg.excessMeters(ofLine: line, noiseMeters: deviation)
        let drift = ReceiverErrorModel.driftMeters(accuracyMeters: accuracy)
        self.init(
            straight: line - excess, drift: drift,
            detour: RoadDetour(
                from: start, to: end, straight: line - excess, seconds: seconds, drift: drift, noise: deviation,
                tortuosity: tortuosity),
            seconds: seconds, lineDegrees: start.coordinate.initialHeadingDegrees(to: end.coordinate))
        varianceSquareMeters += 2 * deviation * deviation
        detourMeters += PositionLeg.excessRelativeError * excess
        preferSpeeds(
            from: start, to: end, seconds: seconds, drift: drift,
            noise: (drift * drift + 2 * deviation * deviation).squareRoot())
        doubtSilence(from: start, to: end, line: line, seconds: seconds, roads: tortuosity)
    }

    /// Adds the doubt about a silence: the vehicle may have driven on with the speed at its ends, and come back. Up to
    /// a minute the roads are known, and after some minutes a vehicle parks, all the more at the place where it was.
    ///
    /// The weights are from simulated towns. Every distance up to the whole one counts alike: its mean square is a
    /// third.
    private mutating func doubtSilence(
        from start: Fix, to end: Fix, line: Double, seconds: Double, roads: Tortuosity
    ) {
        let place = start.assumedAccuracyMeters + end.assumedAccuracyMeters + StopAnchor.clearanceMeters
        guard seconds > TortuosityEstimator.spanSeconds, line > place else { return }
        let speeds = [start, end].compactMap(\.speedMetersPerSecond)
        let (sum, squares) = speeds.reduce((0.0, 0.0)) { ($0.0 + $1, $0.1 + $1 * $1) }
        guard sum > 0 else { return }
        // The faster end has the greater weight: at the other one the vehicle can stand.
        let driven = squares / sum * seconds
        let beyond = min(seconds / TortuosityEstimator.spanSeconds - 1, 1)
        let share = beyond * RoadDetour.drivingShare(ofSilence: seconds) * roads.priorShare(overSeconds: seconds)
        let longer = share * max(driven - meters, 0)
        varianceSquareMeters += longer * longer / 3
    }

    /// Takes the distance by the speeds if the positions contradict them: they stand still or hop while the vehicle
    /// moves, or it turned round. Half of the difference remains in doubt.
    private mutating func preferSpeeds(
        from start: Fix, to end: Fix, seconds: Double, drift: Double, noise: Double
    ) {
        guard seconds <= TrackReach.speedSeconds, let from = start.speedMetersPerSecond,
            let to = end.speedMetersPerSecond
        else { return }
        let integral = (from + to) / 2 * seconds
        let difference = abs(integral - meters)
        let change = ReceiverErrorModel.speedIntegralErrorMeters(overSeconds: seconds)
        // The speed may have changed at either end.
        let step = abs(to - from) / 2 * seconds
        // Known noise makes the positions no better: it does not raise the limit.
        guard difference > 4 * (change + drift) + step else {
            let expected = 2 * (change * change + noise * noise).squareRoot() + step
            varianceSquareMeters += max(difference * difference - expected * expected, 0)
            return
        }
        meters = integral
        varianceSquareMeters += difference * difference / 4
        scaleMeters = integral * Self.relativeIntegralError
        detourMeters = 0
        dopplerMeters = integral
        tortuosity = Tortuosity.Sum()
    }

    /// Creates a distance that only the speeds at both ends measure.
    /// - Parameters:
    ///   - meters: their mean times the time between them, metres.
    ///   - noise: the standard error of a speed, m/s.
    init(reckonedMeters meters: Double, seconds: Double, noise: Double) {
        let change = ReceiverErrorModel.speedIntegralErrorMeters(overSeconds: seconds)
        self.meters = meters
        varianceSquareMeters = change * change + noise * noise * seconds * seconds / 2
        scaleMeters = meters * Self.relativeIntegralError
        dopplerMeters = meters
    }

    /// Creates a distance that was measured elsewhere.
    init(meters: Double, varianceSquareMeters: Double) {
        (self.meters, self.varianceSquareMeters) = (meters, varianceSquareMeters)
    }

    /// The squared standard error, m².
    var squareError: Double { varianceSquareMeters + scaleMeters * scaleMeters + detourMeters * detourMeters }

    /// Half the width of the 95 % interval, metres.
    var errorMeters: Double { Self.boundInStandardErrors * squareError.squareRoot() }

    /// Creates a distance that a signal of the vehicle measured.
    /// - Parameters:
    ///   - meters: the distance, metres.
    ///   - endErrorMeters: the standard error of its ends, metres.
    ///   - relativeError: the standard error of the signal's scale against the satellites, as a share.
    init(signalMeters meters: Double, endErrorMeters: Double, relativeError: Double) {
        self.meters = meters
        varianceSquareMeters = 2 * endErrorMeters * endErrorMeters
        let shared = Self.relativeSignalError
        scaleMeters = meters * (shared * shared + relativeError * relativeError).squareRoot()
    }

    /// Measures a segment between frequent fixes with speeds: their integral.
    private init(integral: Double, seconds: Double, accuracy: Double) {
        let noise = ReceiverErrorModel.dopplerErrorMetersPerSecond(accuracyMeters: accuracy) * seconds
        meters = integral
        varianceSquareMeters = noise * noise / 2
        scaleMeters = meters * Self.relativeIntegralError
        dopplerMeters = integral
    }

    /// Measures a segment between sparse fixes: the straight line and the road detour.
    private init(straight: Double, drift: Double, detour: RoadDetour, seconds: Double, lineDegrees: Double) {
        // Over hours, a detour learned in minutes can be longer than any vehicle drives.
        let longest = max(straight, MovementBounds.fastestMetersPerSecond * seconds)
        meters = min(straight + detour.meters, longest)
        varianceSquareMeters = drift * drift + min(detour.varianceSquareMeters, longest * longest)
        scaleMeters = straight * Self.relativeLineError
        detourMeters = min(detour.systematicMeters, longest)
        dopplerMeters = detour.speedShare * meters
        tortuosity = Tortuosity.Sum(
            straightMeters: straight * detour.evidence, detourMeters: detour.indicatedMeters, seconds: seconds,
            lineDegrees: lineDegrees)
    }

    /// The distance of a departure that its speeds can miss, one standard deviation in metres: a receiver holds low
    /// speeds at 0.
    private static let missedMeters = 10.0

    /// Adds what a line is longer than this distance by the speeds, as far as it is a movement that they missed, and no
    /// noise (the filter of Wiener 1949). The remainder stays in doubt.
    /// - Parameters:
    ///   - unmeasured: the part of the line that the speeds do not measure, metres.
    ///   - deviation: the noise of an axis of the positions, metres; 0 for none, so that all of it counts.
    /// - Returns: the share that counts, 0 to 1.
    @discardableResult
    mutating func extend(bySeen unmeasured: Double, noiseMeters deviation: Double) -> Double {
        let missed = Self.missedMeters * Self.missedMeters
        let share = missed / (missed + 2 * deviation * deviation)
        meters += share * unmeasured
        varianceSquareMeters += (1 - share) * unmeasured * unmeasured / 2
        return share
    }

    /// Adds another segment.
    static func += (sum: inout SegmentDistance, leg: SegmentDistance) {
        sum.meters += leg.meters
        sum.varianceSquareMeters += leg.varianceSquareMeters
        sum.scaleMeters += leg.scaleMeters
        sum.detourMeters += leg.detourMeters
        sum.dopplerMeters += leg.dopplerMeters
        sum.tortuosity += leg.tortuosity
    }
}

extension SegmentDistance {
    /// Whether a distance by the vehicle's signals is not shorter than the line between the fixes. A shorter one means
    /// that the vehicle was carried, as on a ferry.
    func isPossible(from start: Fix, to end: Fix) -> Bool {
        let straight = start.coordinate.distanceMeters(to: end.coordinate)
        let noise = max(start.assumedAccuracyMeters, end.assumedAccuracyMeters)
        let error = Self.boundInStandardErrors * (varianceSquareMeters.squareRoot() + scaleMeters)
        return straight <= meters + error + 2 * noise
    }
}
