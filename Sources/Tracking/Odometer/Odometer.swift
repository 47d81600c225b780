import CivilTime
import Geodesy

/// Counts the way, and how wrong the count can be.
///
/// On the way every leg counts. At rest an anchor holds the place, and nothing counts until the vehicle has left the
/// receiver's noise around it; then the way from the anchor counts, so that nothing is lost.
struct Odometer: Equatable, Sendable, Codable {
    /// A Doppler speed below this is that of something that stands, m/s: four standard errors in the open, 0.1 m/s each.
    static let stationaryMetersPerSecond = 0.4
    /// Without a speed: who stays within the noise for this long stands, seconds.
    private static let stationarySeconds = 20.0
    /// Fixes farther apart than this come seldom, seconds.
    private static let sparseFixSeconds = 5.0

    /// In 95 of 100 cases of a normal distribution the truth is within so many standard errors.
    static let boundInStandardErrors = 1.96

    /// The distance since the tracker began, metres; never decreases.
    private(set) var totalMeters = 0.0
    /// The total for which it shows 0, metres.
    private var zeroMeters = 0.0
    private var varianceSquareMeters = 0.0
    /// What errs alike in every leg, standard errors in metres: of the scale, and of how much ways are longer than lines.
    private var scaleMeters = 0.0
    private var detourMeters = 0.0
    /// The last point that was counted.
    private var last: Fix?
    private var stopAnchor: StopAnchor?
    private var tortuosity = Tortuosity()
    private var tortuosityEstimator = TortuosityEstimator()
    private var speedCalibration = SpeedCalibration()

    /// Distance since it was last set, metres.
    var meters: Double { totalMeters - zeroMeters }

    /// Where the vehicle stands; nil where it moves.
    var stationaryCenter: RobustCenter? { stopAnchor?.anchor }

    /// Half the width of the interval that holds the true distance in 95 of 100 cases, metres.
    var errorMeters: Double {
        let shared = [scaleMeters, detourMeters, speedCalibration.errorMeters].reduce(0) { $0 + $1 * $1 }
        return Self.boundInStandardErrors * (varianceSquareMeters + shared).squareRoot()
            + (stopAnchor?.pending.meters ?? 0)
    }

    init() {}

    /// An odometer that goes on where another was.
    /// - Parameters: as the properties of the same names, and the parts of its error as ``standardErrors`` tells them.
    ///   - last: the last point that was counted, of a vehicle that moves.
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

    /// What errs by chance, alike in every leg, and because ways are longer than lines: standard errors, metres. What it
    /// has not decided on at a stand counts as chance.
    var standardErrors: (randomMeters: Double, scaleMeters: Double, detourMeters: Double) {
        let pending = (stopAnchor?.pending.meters ?? 0) / Self.boundInStandardErrors
        let (scale, speedScale) = (scaleMeters, speedCalibration.errorMeters)
        return (
            (varianceSquareMeters + pending * pending).squareRoot(),
            (scale * scale + speedScale * speedScale).squareRoot(), detourMeters
        )
    }

    /// Sets the distance; the error begins at 0.
    mutating func set(toMeters value: Double) {
        zeroMeters = totalMeters - value
        varianceSquareMeters = 0
        scaleMeters = 0
        detourMeters = 0
        speedCalibration.resetError()
    }

    /// Goes on from a reading that was told, whatever it counted itself. Of what kinds the error is, it knows itself.
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

    /// Adds what another odometer counted before this one began. The total of this one stays: its legs are counted from there.
    /// - Parameter first: The first fix of this one, to which the way of the other one leads. Nil where that way is not to count.
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

    /// Counts the way to a fix after a gap, where it is longer than the noise.
    private mutating func countGap(to fix: Fix) {
        guard let last else { return }
        let drift = ReceiverErrorModel.driftMeters(accuracyMeters: fix.assumedAccuracyMeters)
        stopAnchor = nil
        if last.coordinate.distanceMeters(to: fix.coordinate) >= 4 * drift {
            count(SegmentDistance(from: last, to: fix, tortuosity: tortuosity))
        }
    }

    /// Takes the next fix.
    /// - Parameter hop: the part of the step to it that no movement explains.
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

    /// The way to the next fix is not to count: it begins there.
    mutating func forgetPosition() {
        interruptLearning()
        last = nil
        stopAnchor = nil
    }

    /// The way to a fix is not known: nothing is counted, and a way along the line to it may be missing.
    ///
    /// What stands by the speeds told has not left its place by a hop, however far that is.
    /// - Parameter hop: the part of the step to it that no movement explains.
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

    /// One slow fix in a minute says nothing about the minute, unless the position agrees.
    private func isStationary(_ fix: Fix, after last: Fix) -> Bool {
        guard let speed = fix.speedMetersPerSecond, speed < Self.stationaryMetersPerSecond else { return false }
        if fix.timestamp.seconds(since: last.timestamp) <= Self.sparseFixSeconds { return true }
        return last.coordinate.distanceMeters(to: fix.coordinate) < fix.assumedAccuracyMeters
    }

    /// Without speeds a leg counts when it is clearly longer than the noise; who makes none for a while stands.
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

    /// Frequent fixes show what seldom ones would miss, in case that those come.
    private mutating func learnTortuosity(from fix: Fix, after last: Fix) {
        if stopAnchor != nil { speedCalibration.interrupt() }
        guard stopAnchor == nil, fix.timestamp.seconds(since: last.timestamp) <= SegmentDistance.dopplerSpanSeconds
        else {
            tortuosityEstimator = TortuosityEstimator()
            return
        }
        if let seen = tortuosityEstimator.update(with: fix, totalMeters: totalMeters) { tortuosity.learn(from: seen) }
    }

    /// The next fix has nothing to do with what was learned on the way to the last one.
    private mutating func interruptLearning() {
        tortuosity.interrupt()
        tortuosityEstimator = TortuosityEstimator()
        speedCalibration.interrupt()
    }

    /// What the speeds are worth is learned where they come often.
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
