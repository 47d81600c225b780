import OdographCivilTime
import OdographGeodesy
import OdographModel

/// Counts the distance along a track of fixes that are at their places, and the error of the count.
///
/// ``Odometer`` decides which fixes are. While the vehicle moves, every segment counts. At a stop an anchor holds the
/// position, and nothing counts until the vehicle has left the receiver's noise around it. Then the distance from the
/// anchor counts, so that nothing is lost.
struct TrackOdometer: Equatable, Sendable, Codable {
    /// Fixes farther apart than this are sparse, seconds.
    private static let sparseFixSeconds = 5.0

    /// The distance since the tracker began, metres; never decreases.
    private(set) var totalMeters = 0.0
    /// The same by what is known now: less than the total if too much was counted, more while speeds are in doubt.
    private(set) var estimateMeters = 0.0
    /// The total at which the odometer shows 0, metres.
    private var zeroMeters = 0.0
    private(set) var varianceSquareMeters = 0.0
    /// The standard errors that are common to all segments, metres: of the scale and of the road detour.
    private(set) var scaleMeters = 0.0
    private(set) var detourMeters = 0.0
    /// The last counted fix.
    private(set) var last: Fix?
    private(set) var stopAnchor: StopAnchor?
    private var tortuosity = Tortuosity()
    private var tortuosityEstimator = TortuosityEstimator()
    private(set) var speeds = SpeedJudgement()
    /// The speeds that the receiver reports at rest; nil before the first stop.
    private var resting: RestingSpeed?

    /// The distance since the odometer was last set, metres.
    var meters: Double { totalMeters - zeroMeters }

    /// The centre of the stop; nil while the vehicle moves.
    var stationaryCenter: RobustCenter? { stopAnchor?.anchor }

    init() {}

    /// Creates an odometer that continues from saved values.
    /// - Parameters: as the properties of the same names and ``standardErrors``.
    ///   - last: the last counted fix, if the vehicle moves.
    init(
        meters: Double, totalMeters: Double, randomMeters: Double, scaleMeters: Double, detourMeters: Double, last: Fix?
    ) {
        self.last = last
        (self.totalMeters, estimateMeters) = (totalMeters, totalMeters)
        zeroMeters = totalMeters - meters
        varianceSquareMeters = randomMeters * randomMeters
        self.scaleMeters = scaleMeters
        self.detourMeters = detourMeters
    }

    /// The sums of the errors.
    struct Errors: Equatable, Sendable, Codable {
        fileprivate var varianceSquareMeters: Double
        fileprivate var scaleMeters: Double
        fileprivate var detourMeters: Double
        fileprivate var speeds: ScaledDistance
    }

    var errors: Errors {
        get {
            Errors(
                varianceSquareMeters: varianceSquareMeters, scaleMeters: scaleMeters, detourMeters: detourMeters,
                speeds: speeds.distance)
        }
        set {
            (varianceSquareMeters, scaleMeters, detourMeters) = (
                newValue.varianceSquareMeters, newValue.scaleMeters, newValue.detourMeters
            )
            estimateMeters = totalMeters
            speeds.interrupt()
            speeds.distance = newValue.speeds
        }
    }

    /// Takes a distance out of the reading, and leaves it in the total: the vehicle was carried over it.
    mutating func exclude(meters: Double) { zeroMeters += meters }

    /// Adopts what another odometer has taken out of its reading.
    mutating func adoptReading(of other: TrackOdometer) { zeroMeters = other.zeroMeters }

    /// Sets the distance and resets the error to 0.
    mutating func set(toMeters value: Double) {
        zeroMeters = totalMeters - value
        varianceSquareMeters = 0
        scaleMeters = 0
        detourMeters = 0
        resetSpeeds()
    }

    /// Forgets what is not decided about the speeds of the distance so far.
    private mutating func resetSpeeds() {
        estimateMeters = totalMeters
        speeds.interrupt()
        speeds.distance = ScaledDistance()
    }

    /// Adopts a published reading. The error is divided among its causes as before.
    mutating func adoptReading(meters told: Double, errorMeters: Double) {
        totalMeters += max(told - meters, 0)
        zeroMeters = totalMeters - told
        scaleMeters = standardErrors.scaleMeters
        resetSpeeds()
        let (known, new) = (
            varianceSquareMeters + scaleMeters * scaleMeters + detourMeters * detourMeters,
            errorMeters / SegmentDistance.boundInStandardErrors
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
    mutating func add(_ earlier: TrackOdometer, until first: Fix?) {
        var earlier = earlier
        if let first { earlier.countGap(to: first) }
        let (own, errors) = (standardErrors, earlier.standardErrors)
        zeroMeters -= earlier.meters
        varianceSquareMeters += errors.randomMeters * errors.randomMeters
        scaleMeters = own.scaleMeters + errors.scaleMeters
        detourMeters = own.detourMeters + errors.detourMeters
        speeds.distance = ScaledDistance()
    }

    /// Counts the distance to a fix after a gap if it is longer than the noise.
    private mutating func countGap(to fix: Fix) {
        guard let last else { return }
        let drift = ReceiverErrorModel.driftMeters(accuracyMeters: fix.assumedAccuracyMeters)
        stopAnchor = nil
        speeds.interrupt()
        if last.coordinate.distanceMeters(to: fix.coordinate) >= 4 * drift {
            count(segment(from: last, to: fix))
        }
    }

    /// Takes the next fix.
    /// - Parameters:
    ///   - jump: the part of the step to it that no movement explains.
    ///   - leg: the distance from the newest fix by the vehicle's own signals; nil if it is not known.
    /// - Returns: the part of the distance counted now that was driven before an earlier fix; nil if there is none.
    @discardableResult
    mutating func advance(to fix: Fix, jump: LocalPoint? = nil, vehicle leg: SegmentDistance? = nil) -> LateDistance? {
        let judged = speeds.judged(fix)
        if let leg, prefers(leg, to: judged) {
            interruptLearning()
            count(leg)
            (last, stopAnchor) = (judged, nil)
            return nil
        }
        let late = move(to: judged, jump: jump)
        let correction = speeds.update(with: fix, isResting: stopAnchor?.isResting ?? false, tortuosity: tortuosity)
        estimateMeters += correction.meters
        if correction.meters > 0, let center = stationaryCenter {
            // The positions have led out of the stop, and a departure would count their way again.
            stopAnchor?.deduct(meters: min(correction.meters, center.coordinate.distanceMeters(to: fix.coordinate)))
        }
        addError(meters: correction.errorMeters)
        publish()
        return late
    }

    /// Raises the total to what is known.
    private mutating func publish() { totalMeters = max(totalMeters, estimateMeters - speeds.excessMeters) }

    private mutating func move(to fix: Fix, jump: LocalPoint?) -> LateDistance? {
        guard let last else {
            self.last = fix
            stopAnchor = StopAnchor(at: fix)
            return nil
        }
        if var gate = stopAnchor {
            var dismissed = 0.0
            let departure = gate.update(
                with: fix, jump: jump, tortuosity: tortuosity, noise: speeds.noise,
                resting: resting ?? RestingSpeed(), dismiss: { dismissed = $0 })
            let (silence, start) = (gate.silence, gate.legStart)
            stopAnchor = gate
            // Each such movement is missed alike.
            scaleMeters += dismissed / SegmentDistance.boundInStandardErrors
            if gate.isResting, let speed = fix.speedMetersPerSecond { learnRest(from: speed, of: fix) }
            guard let departure else { return nil }
            stopAnchor = nil
            countDeparture(departure, to: fix)
            self.last = start ?? fix
            guard var late = silence, late.before < fix.timestamp else { return nil }
            late.meters = min(late.meters, departure.meters)
            return late
        }
        if fix.speedMetersPerSecond == nil || last.speedMetersPerSecond == nil {
            // Without speeds, a hop is an outlier until the next fix is there too.
            if jump == nil { advanceByPosition(from: last, to: fix) }
        } else {
            let stands = isStationary(fix, after: last)
            if !stands || (last.speedMetersPerSecond ?? 0) >= movingMetersPerSecond(last) {
                count(segment(from: last, to: fix))
            }
            if stands {
                stopAnchor = StopAnchor(at: fix)
                noteHold(at: fix, after: last)
            }
            self.last = fix
            learnTortuosity(from: fix, after: last)
        }
        return nil
    }

    /// Takes a fix while the wheels stand: nothing counts but the end of the movement before.
    mutating func stand(at fix: Fix) {
        if stopAnchor == nil {
            var halted = fix
            (halted.speedMetersPerSecond, halted.headingDegrees) = (0, nil)
            _ = move(to: halted, jump: nil)
            interruptLearning()
            publish()
            if stopAnchor == nil { (last, stopAnchor) = (fix, StopAnchor(at: fix)) }
        } else {
            stopAnchor?.rest(at: fix)
        }
    }

    /// The least distance by the vehicle's signals that ends a stop, metres: clearly more than the error of their ends.
    private static let leastVehicleMeters = 50.0

    /// Whether the vehicle's own signals measure the distance to a fix better than the satellites: they follow each
    /// bend where there are no frequent fixes with speeds, as in a tunnel.
    private func prefers(_ leg: SegmentDistance, to fix: Fix) -> Bool {
        guard let newest else { return false }
        let seconds = fix.timestamp.seconds(since: newest.timestamp)
        let isFrequent =
            seconds <= SegmentDistance.dopplerSpanSeconds && newest.speedMetersPerSecond != nil
            && fix.speedMetersPerSecond != nil
        guard !isFrequent, leg.meters >= (stopAnchor == nil ? 1 : Self.leastVehicleMeters) else { return false }
        guard leg.isPossible(from: newest, to: fix) else { return false }
        let other = segment(from: newest, to: fix)
        // In a car park the way is many times as long as the line between its ends, and no detour is expected.
        let difference = SegmentDistance.boundInStandardErrors * (leg.squareError + other.squareError).squareRoot()
        return leg.squareError <= other.squareError || leg.meters > other.meters + difference
    }

    /// Returns the distance of a silence between the last fix and the next one, which ``advance(to:jump:vehicle:)`` has
    /// not taken yet; nil if there is no last fix. Positions within the noise of each other give 0.
    /// - Parameter measured: the distance by the vehicle's own signals; nil if it is not known.
    func gapDistance(to fix: Fix, vehicle measured: SegmentDistance? = nil) -> GapDistance? {
        guard let start = newest else { return nil }
        let isMeasured = measured.map { prefers($0, to: fix) } ?? false
        let leg = (isMeasured ? measured : nil) ?? segment(from: start, to: fix)
        return GapDistance(leg, from: start, to: fix, isMeasured: isMeasured)
    }

    /// Counts a movement around a stop that looked like noise. The noise makes it longer by up to as much.
    mutating func count(_ missed: MissedMovement) {
        estimateMeters += missed.meters
        publish()
        addError(meters: missed.meters / SegmentDistance.boundInStandardErrors)
        if !missed.hasReturned { stopAnchor?.deduct(meters: missed.meters) }
    }

    /// Forgets the position: the distance to the next fix does not count.
    mutating func forgetPosition() {
        interruptLearning()
        last = nil
        stopAnchor = nil
    }

    /// The newest fix of the track.
    var newest: Fix? { stopAnchor?.newest ?? last }

    /// Continues at a fix without counting the distance to it.
    mutating func relocate(to fix: Fix) {
        interruptLearning()
        last = fix
        stopAnchor = StopAnchor(at: fix)
    }

    /// Continues at a fix at the stop that holds the position. What seemed to lead out of the stop does not count.
    mutating func returnToStop(at fix: Fix) { stopAnchor?.discardExcursion(until: fix) }

    /// Returns the odometer with its reading, at the end of another track whose distance it has counted by the speeds.
    func continued(along track: TrackOdometer) -> TrackOdometer {
        var odometer = self
        odometer.interruptLearning()
        (odometer.last, odometer.stopAnchor) = (track.last, track.stopAnchor)
        // Each track begins with a stop. What led out of that of the other track is counted already, and what led out
        // of the own one is not.
        if let newest = track.newest, let speed = newest.speedMetersPerSecond, speed >= movingMetersPerSecond(newest) {
            if let left = stopAnchor?.pending { odometer.count(left) }
            (odometer.last, odometer.stopAnchor) = (newest, nil)
        }
        return odometer
    }

    /// Adds a standard error of distance that may be missing, metres.
    mutating func addError(meters: Double) {
        varianceSquareMeters += meters * meters
    }

    /// Returns the distance of a road between two fixes, as of any two consecutive ones.
    func segment(from start: Fix, to end: Fix) -> SegmentDistance {
        SegmentDistance(
            from: start, to: end, tortuosity: tortuosity, noiseMeters: speeds.noise.stepDeviationMeters)
    }

    /// Adds the error of a halt that the receiver reports as exactly 0. It is the same at each halt.
    private mutating func noteHold(at fix: Fix, after last: Fix) {
        if fix.speedMetersPerSecond == 0, last.speedMetersPerSecond != 0 {
            scaleMeters += ReceiverErrorModel.speedHoldErrorMeters
        }
    }

    /// Whether the vehicle is stationary. A single slow fix in a minute is only evidence if the position agrees.
    private func isStationary(_ fix: Fix, after last: Fix) -> Bool {
        guard let speed = fix.speedMetersPerSecond, speed < movingMetersPerSecond(fix) else { return false }
        if fix.timestamp.seconds(since: last.timestamp) <= Self.sparseFixSeconds { return true }
        return last.coordinate.distanceMeters(to: fix.coordinate)
            < PositionLeg.restMeters(of: fix, noiseMeters: speeds.noise.stepDeviationMeters)
    }

    /// Counts a segment without speeds if it is clearly longer than the noise; after a while without one, detects a
    /// stop.
    private mutating func advanceByPosition(from last: Fix, to fix: Fix) {
        let deviation = speeds.noise.stepDeviationMeters
        let least = PositionLeg.leastMeters(to: fix, noiseMeters: deviation)
        if last.coordinate.distanceMeters(to: fix.coordinate) >= least {
            count(PositionLeg.segment(from: last, to: fix, tortuosity: tortuosity, noiseMeters: deviation))
            self.last = fix
        } else if fix.timestamp.seconds(since: last.timestamp) >= PositionLeg.stationarySeconds(overMeters: least) {
            stopAnchor = StopAnchor(at: last)
            self.last = last
        }
    }

    private mutating func learnRest(from speed: Double, of fix: Fix) {
        var known = resting ?? RestingSpeed()
        known.update(with: speed, of: fix)
        resting = known
    }

    /// The Doppler speed from which the vehicle moves, m/s.
    private func movingMetersPerSecond(_ fix: Fix) -> Double {
        (resting ?? RestingSpeed()).movementMetersPerSecond(of: fix, atMost: MovementBounds.stationaryMetersPerSecond)
    }

    /// Learns from frequent fixes what sparse ones would miss, in case the rate drops.
    private mutating func learnTortuosity(from fix: Fix, after last: Fix) {
        guard stopAnchor == nil, fix.timestamp.seconds(since: last.timestamp) <= SegmentDistance.dopplerSpanSeconds
        else {
            tortuosityEstimator = TortuosityEstimator()
            return
        }
        if let seen = tortuosityEstimator.update(with: fix, totalMeters: totalMeters) { tortuosity.learn(from: seen) }
    }

    /// Interrupts all learning: the next fix does not continue the track.
    mutating func interruptLearning() {
        tortuosity.interrupt()
        tortuosityEstimator = TortuosityEstimator()
        speeds.interrupt()
    }

    /// Takes a fix that is not used because of the step to it: one that is not farther than a reflection shows noise.
    mutating func noteNoise(of fix: Fix) {
        guard let newest,
            newest.coordinate.distanceMeters(to: fix.coordinate) <= ReceiverErrorModel.maximumMultipathJumpMeters
        else { return }
        speeds.noteNoise(of: fix, isResting: stopAnchor?.isResting ?? false)
    }

    /// Counts a distance: along the track, or measured otherwise, such as by the speeds alone.
    mutating func count(_ leg: SegmentDistance) {
        speeds.count(leg)
        add(leg)
    }

    private mutating func countDeparture(_ leg: SegmentDistance, to fix: Fix) {
        speeds.countDeparture(leg, to: fix)
        add(leg)
    }

    private mutating func add(_ leg: SegmentDistance) {
        estimateMeters += leg.meters
        varianceSquareMeters += leg.varianceSquareMeters
        scaleMeters += leg.scaleMeters
        detourMeters += leg.detourMeters
        tortuosity.learn(from: leg.tortuosity)
        publish()
    }
}
