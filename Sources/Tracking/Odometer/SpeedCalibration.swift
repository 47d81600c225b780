import OdographCivilTime
import OdographGeodesy
import OdographModel

/// Learns on straight roads by how much reported speeds are too low: compares their integral with the positions.
///
/// Doppler speeds have random errors only, but not every reported speed is a Doppler speed. Phones filter low speeds
/// and hold them at 0; on a bicycle they report 5 to 8 % too little. Positions are free of that, and over a stretch
/// their noise is small. Only a certain shortfall is corrected, so a receiver with correct speeds is not affected. An
/// excess is never corrected: no road is shorter than the line between its ends, but a longer one may have had a bend.
struct SpeedCalibration: Equatable, Sendable, Codable {
    /// The length of a stretch, seconds: long compared with the noise of its ends, but often straight.
    private static let stretchSeconds = 20.0
    /// The spacing of the points that show the bends of a stretch, seconds.
    private static let pointSeconds = 5.0
    /// The largest excess of the line through the points over that between the ends, as a share.
    private static let largestBend = 0.01
    /// The largest shortfall of filtered speeds, as a share. If more is missing, the positions are wrong.
    private static let largestShortfall = 0.25
    /// The least length of the line in standard errors of its ends.
    private static let minimumSignal = 40.0
    /// The prior standard deviation of the shortfall, as a share: 0 for most receivers, some per cent for phones.
    private static let priorSpread = 0.03
    /// The delay of filtered speeds, seconds. The integral is off by it times the change of speed.
    private static let lagSeconds = 1.0
    /// The distance over which observations are forgotten, metres: a carried receiver changes its vehicle.
    private static let memoryMeters = 5000.0

    private var start: Fix?
    private var point: Fix?
    /// The length of the line through the points, metres.
    private var pointMeters = 0.0
    /// The integral of the speeds, metres.
    private var integralMeters = 0.0

    /// The least-squares sums over the stretches: the squared integrals and the products of integral and shortfall,
    /// each divided by the variance.
    private var squareSum = 0.0
    private var shortfallSum = 0.0

    /// The distance from speeds since the last stretch, metres; the next stretch calibrates it.
    private var uncalibratedMeters = 0.0
    private var calibratedErrorMeters = 0.0

    /// The correction of distances from speeds, as a share, ≥ 0: nothing below two standard errors, all of the estimate
    /// from four (firm threshold: Gao and Bruce 1997).
    var correction: Double {
        let seen = estimate
        return Self.thresholded(seen.share, standardError: seen.standardError)
    }

    static func thresholded(_ share: Double, standardError: Double) -> Double {
        min(max(2 * (share - 2 * standardError), 0), share)
    }

    /// The standard error of the distance from speeds, common to all segments, metres: the uncorrected shortfall.
    var errorMeters: Double { calibratedErrorMeters + residualError * uncalibratedMeters }

    /// The standard error of the share that remains. A hardly visible shortfall is probably none.
    private var residualError: Double {
        let seen = estimate
        guard seen.standardError > 0 else { return 0 }
        return min(seen.share * seen.share / (4 * seen.standardError), seen.standardError)
    }

    /// The estimate from the stretches and the prior, ≥ 0.
    private var estimate: (share: Double, standardError: Double) {
        guard squareSum > 0 else { return (0, 0) }
        let information = squareSum + 1 / (Self.priorSpread * Self.priorSpread)
        return (max(shortfallSum / information, 0), (1 / information).squareRoot())
    }

    /// Counts a distance from speeds.
    mutating func count(meters: Double) {
        uncalibratedMeters += meters
    }

    /// Resets the error to 0.
    mutating func resetError() {
        (uncalibratedMeters, calibratedErrorMeters) = (0, 0)
    }

    /// Forgets the stretch and its positions: the next fix does not continue it.
    mutating func interrupt() {
        (start, point) = (nil, nil)
    }

    /// Takes the next fix of an uninterrupted drive.
    /// - Parameter meters: the integral of the speeds since the previous fix.
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
        guard line >= Self.minimumSignal * drift, pointMeters <= (1 + Self.largestBend) * line,
            line - integralMeters <= Self.largestShortfall * line
        else { return }
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
