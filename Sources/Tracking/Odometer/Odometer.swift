import OdographCivilTime
import OdographGeodesy
import OdographModel

/// Counts the distance and the error of the count.
///
/// While the vehicle moves, every segment counts. At a stop an anchor holds the position, and nothing counts until the
/// vehicle has left the receiver's noise around it. Then the distance from the anchor counts, so that nothing is lost.
struct Odometer: Equatable, Sendable, Codable {
    /// A Doppler speed below this counts as stationary, m/s: four standard errors of 0.1 m/s under an open sky.
    static let stationaryMetersPerSecond = 0.4
    /// Without speeds, positions within the noise for this long count as stationary, seconds.
    private static let stationarySeconds = 20.0
    /// Fixes farther apart than this are sparse, seconds.
    private static let sparseFixSeconds = 5.0

    /// The half width of the 95 % interval of a normal distribution, standard errors.
    static let boundInStandardErrors = 1.96

    /// The distance since the tracker began, metres; never decreases.
    private(set) var totalMeters = 0.0
    /// The total at which the odometer shows 0, metres.
    private var zeroMeters = 0.0
    private var varianceSquareMeters = 0.0
    /// The standard errors that are common to all segments, metres: of the scale and of the road detour.
    private var scaleMeters = 0.0
    private var detourMeters = 0.0
    /// The last counted fix.
    private var last: Fix?
    private var stopAnchor: StopAnchor?
    private var tortuosity = Tortuosity()
    private var tortuosityEstimator = TortuosityEstimator()
    private var speedCalibration = SpeedCalibration()

    /// The distance since the odometer was last set, metres.
    var meters: Double { totalMeters - zeroMeters }

    /// The centre of the stop; nil while the vehicle moves.
    var stationaryCenter: RobustCenter? { stopAnchor?.anchor }

    /// Half the width of the 95 % interval of the true distance, metres.
    var errorMeters: Double {
        let shared = [scaleMeters, detourMeters, speedCalibration.errorMeters].reduce(0) { $0 + $1 * $1 }
        return Self.boundInStandardErrors * (varianceSquareMeters + shared).squareRoot()
            + (stopAnchor?.pending.meters ?? 0)
    }

    init() {}

    /// Creates an odometer that continues from saved values.
    /// - Parameters: as the properties of the same names and ``standardErrors``.
    ///   - last: the last counted fix, if the vehicle moves.
    init(
        meters: Double, totalMeters: Double, randomMeters: Double, scaleMeters: Double, detourMeters: Double, last: Fix?
    ) {
        self.last = last
        self.totalMeters = totalMeters
        zeroMeters = totalMeters - meters
        varianceSquareMeters = randomMeters * randomMeters
        self.scaleMeters = scaleMeters
        self.detourMeters = detourMeters
    }

    /// The standard errors by cause, metres: random, common to all segments, and from road detours. An undecided
    /// distance at a stop counts as random.
    var standardErrors: (randomMeters: Double, scaleMeters: Double, detourMeters: Double) {
        let pending = (stopAnchor?.pending.meters ?? 0) / Self.boundInStandardErrors
        let (scale, speedScale) = (scaleMeters, speedCalibration.errorMeters)
        return (
            (varianceSquareMeters + pending * pending).squareRoot(),
            (scale * scale + speedScale * speedScale).squareRoot(), detourMeters
        )
    }

    /// Sets the distance and resets the error to 0.
    mutating func set(toMeters value: Double) {
        zeroMeters = totalMeters - value
        varianceSquareMeters = 0
        scaleMeters = 0
        detourMeters = 0
        speedCalibration.resetError()
    }

    /// Adopts a published reading. The error is divided among its causes as before.
    mutating func adoptReading(meters told: Double, errorMeters: Double) {
        totalMeters += max(told - meters, 0)
        zeroMeters = totalMeters - told
        scaleMeters = standardErrors.scaleMeters
        speedCalibration.resetError()
        let (known, new) = (
            varianceSquareMeters + scaleMeters * scaleMeters + detourMeters * detourMeters,
            errorMeters / Self.boundInStandardErrors
        )
        guard known > 0 else {
            varianceSquareMeters = new * new
            return
        }
        let share = new / known.squareRoot()
        varianceSquareMeters *= share * share
        scaleMeters *= share
        detourMeters *= share
    }

    /// Adds the distance of an odometer that ended before this one began. The total stays.
    /// - Parameter first: the first fix of this odometer, up to which the gap counts; nil if the gap does not count.
    mutating func add(_ earlier: Odometer, until first: Fix?) {
        var earlier = earlier
        if let first { earlier.countGap(to: first) }
        let (own, errors) = (standardErrors, earlier.standardErrors)
        zeroMeters -= earlier.meters
        varianceSquareMeters += errors.randomMeters * errors.randomMeters
        scaleMeters = own.scaleMeters + errors.scaleMeters
        detourMeters = own.detourMeters + errors.detourMeters
        speedCalibration.resetError()
    }

    /// Counts the distance to a fix after a gap if it is longer than the noise.
    private mutating func countGap(to fix: Fix) {
        guard let last else { return }
        let drift = ReceiverErrorModel.driftMeters(accuracyMeters: fix.assumedAccuracyMeters)
        stopAnchor = nil
        if last.coordinate.distanceMeters(to: fix.coordinate) >= 4 * drift {
            count(SegmentDistance(from: last, to: fix, tortuosity: tortuosity))
        }
    }

    /// Takes the next fix.
    /// - Parameter jump: the part of the step to it that no movement explains.
    mutating func advance(to fix: Fix, jump: LocalPoint? = nil) {
        guard let last else {
            self.last = fix
            stopAnchor = StopAnchor(at: fix)
            return
        }
        if var gate = stopAnchor {
            let departure = gate.update(with: fix, jump: jump, tortuosity: tortuosity)
            stopAnchor = gate
            guard let departure else { return }
            stopAnchor = nil
            count(departure)
            self.last = fix
            return
        }
        if fix.speedMetersPerSecond == nil || last.speedMetersPerSecond == nil {
            advanceByPosition(from: last, to: fix)
        } else {
            let stands = isStationary(fix, after: last)
            if !stands || (last.speedMetersPerSecond ?? 0) >= Self.stationaryMetersPerSecond {
                let leg = SegmentDistance(from: last, to: fix, tortuosity: tortuosity)
                count(leg)
                calibrateSpeed(by: leg, to: fix, after: last)
            }
            if stands { stopAnchor = StopAnchor(at: fix) }
            self.last = fix
            learnTortuosity(from: fix, after: last)
        }
    }

    /// Forgets the position: the distance to the next fix does not count.
    mutating func forgetPosition() {
        interruptLearning()
        last = nil
        stopAnchor = nil
    }

    /// Continues at a fix without counting the distance to it; the error grows by the distance that may be missing.
    ///
    /// A position jump while the speeds report a stop is no departure, whatever its length.
    /// - Parameters:
    ///   - jump: the part of the step to the fix that no movement explains.
    ///   - maximumMeters: the longest straight line that the vehicle can have travelled since the last fix, metres.
    mutating func skip(to fix: Fix, jump: LocalPoint?, maximumMeters: Double) {
        if stopAnchor != nil, jump != nil { return advance(to: fix, jump: jump) }
        if let last {
            let straight = min(last.coordinate.distanceMeters(to: fix.coordinate), maximumMeters)
            let missing = straight * (1 + Tortuosity.largestDetour) / Self.boundInStandardErrors
            varianceSquareMeters += missing * missing
        }
        interruptLearning()
        last = fix
        stopAnchor = StopAnchor(at: fix)
    }

    /// Whether the vehicle is stationary. A single slow fix in a minute is only evidence if the position agrees.
    private func isStationary(_ fix: Fix, after last: Fix) -> Bool {
        guard let speed = fix.speedMetersPerSecond, speed < Self.stationaryMetersPerSecond else { return false }
        if fix.timestamp.seconds(since: last.timestamp) <= Self.sparseFixSeconds { return true }
        return last.coordinate.distanceMeters(to: fix.coordinate) < fix.assumedAccuracyMeters
    }

    /// Counts a segment without speeds if it is clearly longer than the noise; after a while without one, detects a
    /// stop.
    private mutating func advanceByPosition(from last: Fix, to fix: Fix) {
        let drift = ReceiverErrorModel.driftMeters(accuracyMeters: fix.assumedAccuracyMeters)
        let seconds = fix.timestamp.seconds(since: last.timestamp)
        if last.coordinate.distanceMeters(to: fix.coordinate) >= 4 * drift {
            count(SegmentDistance(from: last, to: fix, tortuosity: tortuosity))
            self.last = fix
        } else if seconds >= Self.stationarySeconds {
            stopAnchor = StopAnchor(at: last)
            self.last = last
        }
    }

    /// Learns from frequent fixes what sparse ones would miss, in case the rate drops.
    private mutating func learnTortuosity(from fix: Fix, after last: Fix) {
        if stopAnchor != nil { speedCalibration.interrupt() }
        guard stopAnchor == nil, fix.timestamp.seconds(since: last.timestamp) <= SegmentDistance.dopplerSpanSeconds
        else {
            tortuosityEstimator = TortuosityEstimator()
            return
        }
        if let seen = tortuosityEstimator.update(with: fix, totalMeters: totalMeters) { tortuosity.learn(from: seen) }
    }

    /// Interrupts all learning: the next fix does not continue the track.
    private mutating func interruptLearning() {
        tortuosity.interrupt()
        tortuosityEstimator = TortuosityEstimator()
        speedCalibration.interrupt()
    }

    /// Calibrates the speeds while they are frequent.
    private mutating func calibrateSpeed(by leg: SegmentDistance, to fix: Fix, after last: Fix) {
        guard fix.timestamp.seconds(since: last.timestamp) <= SegmentDistance.dopplerSpanSeconds, leg.dopplerMeters > 0
        else {
            return speedCalibration.interrupt()
        }
        speedCalibration.update(with: fix, integralMeters: leg.dopplerMeters)
    }

    private mutating func count(_ leg: SegmentDistance) {
        totalMeters += leg.meters + speedCalibration.correction * leg.dopplerMeters
        varianceSquareMeters += leg.varianceSquareMeters
        scaleMeters += leg.scaleMeters
        detourMeters += leg.detourMeters
        speedCalibration.count(meters: leg.dopplerMeters)
        tortuosity.learn(from: leg.tortuosity)
    }
}
