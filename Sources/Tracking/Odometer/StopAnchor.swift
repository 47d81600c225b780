import Glibc
import OdographCivilTime
import OdographGeodesy
import OdographModel

/// Holds the position of a stop and detects when the vehicle has left it.
///
/// After a halt in traffic the speed alone decides. After a longer stop the vehicle must also have left the noise
/// around the position: stationary receivers report false speeds and positions over the hours.
struct StopAnchor: Equatable, Sendable, Codable {
    /// The longest halt in traffic, seconds.
    private static let trafficHaltSeconds = 60.0
    /// The number of moving fixes that end a halt in traffic: a single one can be noise.
    private static let trafficHaltFixes = 2
    /// The Doppler speed from which a fix counts as moving, m/s; two standard errors are added.
    static let movingMetersPerSecond = 0.5
    /// The number of consecutive fixes that must agree after a longer stop, and that number as seconds at 1 Hz; the
    /// fixes span one second less.
    private static let requiredFixes = 3
    private static let requiredSeconds = 3.0
    /// The longest time between two fixes of which two are enough, seconds.
    private static let fewFixesSeconds = 5.0
    /// The distance from the anchor that a departure by speeds needs after a longer stop, metres: a car's length. A
    /// queue goes on by little more than that, whatever the accuracy. ``DepartureEvidence`` tells it from the noise.
    private static let departureMeters = 5.0
    /// The time for which a vehicle must creep out of a longer stop, seconds: a position that glides to its place does
    /// so for some seconds, and part of that can be in the speed.
    private static let creepingSeconds = 15.0
    /// The standard error of the way to a far fix without speeds, as a share of the line: half a circle is 57 % longer,
    /// and that counts as two standard errors.
    private static let bendError = 0.29
    /// The distance beyond the noise at which a fix is far from the anchor, metres. In streets, multipath shifts a
    /// stationary receiver by some tens of metres.
    static let clearanceMeters = 30.0
    /// The least share of the distance from the anchor that speeds which the receiver measures explain.
    private static let explainedShare = 0.25
    /// The distance beyond the noise up to which a speed of 0 overrules positions, metres: phones report 0 at a walk.
    private static let contradictionClearanceMeters = 40.0

    private(set) var anchor: RobustCenter
    private var last: Fix
    /// Without speeds, the fix from which the next leg of the undecided distance counts.
    private(set) var legStart: Fix?
    /// The distance since the vehicle was last near the anchor; it counts if the vehicle has left.
    private(set) var pending = SegmentDistance()
    /// The longest silence in the undecided distance, and that distance up to its end; nil if each was shorter than
    /// ``MovementBounds/farConfirmationSeconds``: as long as that, the distance is counted late anyway.
    private(set) var silence: LateDistance?
    /// The part of the distance from the anchor that is counted already, metres; nil for none.
    private var countedMeters: Double?
    /// The upper bound of the distance that counts if the vehicle has left, metres; without speeds at least that beyond
    /// the noise.
    var undecidedMeters: Double {
        let longest = pending.meters + pending.errorMeters
        guard last.speedMetersPerSecond == nil else { return longest }
        return max(longest, anchor.coordinate.distanceMeters(to: last.coordinate) - anchor.radiusMeters(for: last))
    }
    /// The evidence for a departure while the speeds indicate one.
    private var departureEvidence: DepartureEvidence?
    /// The sum of the position jumps since the positions were last near the anchor.
    private var jumpOffset = LocalPoint.zero
    private var farSince: Timestamp?
    private var farFixes = 0
    /// The evidence for creeping, at speeds above those at rest.
    private var creepingEvidence: DepartureEvidence?
    /// Whether a speed has indicated movement since the fixes are far.
    private var hasMovedFar = false
    /// The distance by the speeds since the vehicle was last near the anchor, metres.
    private var reportedMeters = 0.0
    /// The number of speeds above 0 since the fixes are far.
    private var farSpeeds = 0

    init(at fix: Fix) {
        anchor = RobustCenter(at: fix)
        last = fix
    }

    /// Takes the next fix.
    /// - Parameter jump: the part of the step to it that no movement explains.
    ///   - noise: the noise of the positions.
    ///   - resting: the speeds that the receiver reports at rest.
    ///   - dismiss: takes the distance of a movement around the stop that does not count, metres.
    /// - Returns: the distance from the anchor if the vehicle has left it; else nil.
    mutating func update(
        with fix: Fix, jump: LocalPoint?, tortuosity: Tortuosity, noise: PositionNoise = PositionNoise(),
        resting: RestingSpeed = RestingSpeed(), dismiss: (Double) -> Void = { _ in }
    ) -> SegmentDistance? {
        defer { last = fix }
        if let jump { shift(by: jump, before: fix) }
        let seen = anchor.coordinate.distanceMeters(to: fix.coordinate)
        let distance = distanceMeters(of: fix, seen: seen)
        let isFar = distance > anchor.radiusMeters(for: fix) + Self.clearanceMeters
        let speedError = ReceiverErrorModel.dopplerErrorMetersPerSecond(accuracyMeters: fix.likelyAccuracyMeters)
        let creepingFrom = resting.movementMetersPerSecond(
            of: fix, atMost: Self.movingMetersPerSecond + 2 * speedError)
        let restingTo = resting.movementMetersPerSecond(of: fix, atMost: Self.movingMetersPerSecond)
        let isStill = (fix.speedMetersPerSecond ?? 0) < restingTo
        let stands = isStill && (last.speedMetersPerSecond ?? 0) < restingTo
        let leg =
            isFar || !isStill
            ? self.leg(to: fix, stands: stands, tortuosity: tortuosity, noiseMeters: noise.stepDeviationMeters) : nil
        if let leg {
            pending += leg
        } else if !isFar {
            if isMovement(to: fix, noise: noise) { dismiss(pending.meters) }
            (pending, legStart) = (SegmentDistance(), nil)
        }
        reportedMeters += (fix.speedMetersPerSecond ?? 0) * max(seconds(to: fix), 0)
        if seen <= anchor.radiusMeters(for: fix) { (countedMeters, reportedMeters) = (nil, 0) }
        noteSpeed(of: fix, isStill: isStill, creepingFrom: creepingFrom, segmentMeters: leg?.meters ?? 0)
        noteDistance(distance, of: fix, isFar: isFar, noise: noise)
        noteSilence(before: fix)
        if isElsewhere(fix, distance: distance) {
            moveAnchor(to: fix)
            return nil
        }
        if hasLeftBySpeed(fix, distance: distance) || hasLeftByDistance(fix, distance: distance) {
            return departureSegment(distance: distance, fix, noise: noise)
        }
        // A departure must not pull the anchor along. A receiver that measures a rest outside the noise shows that the
        // anchor is wrong; slowly, because a queue at a walk looks the same.
        let isMeasuredRest = isStill && fix.speedMetersPerSecond ?? 0 > 0
        if !isDeparting {
            if seen <= anchor.radiusMeters(for: fix) || isMeasuredRest && reportedMeters < Self.explainedShare * seen {
                anchor.add(fix)
            } else if isMeasuredRest {
                anchor.drift(to: fix)
            }
        }
        return nil
    }

    /// The newest fix.
    var newest: Fix { last }

    /// Discards a way out of the stop and the way back to it, because the vehicle is at the stop.
    mutating func discardExcursion(until fix: Fix) {
        guard farFixes > 0 else { return }
        (pending, legStart, silence) = (SegmentDistance(), nil, nil)
        last = fix
    }

    /// Takes a fix while the vehicle certainly stands.
    mutating func rest(at fix: Fix) {
        (pending, legStart, silence, countedMeters) = (SegmentDistance(), nil, nil, nil)
        (departureEvidence, creepingEvidence, jumpOffset) = (nil, nil, .zero)
        (farSince, farFixes, hasMovedFar, reportedMeters, farSpeeds) = (nil, 0, false, 0, 0)
        last = fix
        anchor.add(fix)
    }

    /// Deducts a distance from the place that is counted already.
    mutating func deduct(meters: Double) { countedMeters = (countedMeters ?? 0) + meters }

    /// Whether the newest fix is at the anchor, so that its speed is one at rest.
    var isResting: Bool {
        (creepingEvidence?.fixCount ?? 0) < Self.trafficHaltFixes
            && anchor.coordinate.distanceMeters(to: last.coordinate) <= anchor.radiusMeters(for: last)
    }

    /// Returns the distance that the fix adds; nil while it is within the noise of positions, and no speed shows a
    /// movement.
    /// - Parameter stands: whether the last fix and this one have speeds at rest, or none.
    private mutating func leg(
        to fix: Fix, stands: Bool, tortuosity: Tortuosity, noiseMeters: Double
    ) -> SegmentDistance? {
        guard stands, noiseMeters > 0 || fix.speedMetersPerSecond != nil else {
            legStart = nil
            return SegmentDistance(from: last, to: fix, tortuosity: tortuosity, noiseMeters: noiseMeters)
        }
        let start = legStart ?? last
        legStart = start
        let least = PositionLeg.leastMeters(to: fix, noiseMeters: noiseMeters)
        guard start.coordinate.distanceMeters(to: fix.coordinate) >= least else { return nil }
        legStart = fix
        return PositionLeg.segment(from: start, to: fix, tortuosity: tortuosity, noiseMeters: noiseMeters)
    }

    /// Whether speeds and positions show a movement that ends at a fix. Frequent fixes would have shown a departure.
    private func isMovement(to fix: Fix, noise: PositionNoise) -> Bool {
        guard let creepingEvidence, creepingEvidence.since != nil else { return false }
        let least = PositionLeg.restMeters(of: fix, noiseMeters: noise.stepDeviationMeters)
        return isSparse(fix) && creepingEvidence.isDeparture(to: fix, overMeters: least)
    }

    /// Whether a fix comes later than speeds tell the distance to it.
    private func isSparse(_ fix: Fix) -> Bool { seconds(to: fix) > SegmentDistance.dopplerSpanSeconds }

    private func seconds(to fix: Fix) -> Double { fix.timestamp.seconds(since: last.timestamp) }

    private var isDeparting: Bool { departureEvidence?.since != nil || creepingEvidence?.since != nil }

    /// Moves the earlier positions with a jump, so that it does not count as movement.
    private mutating func shift(by hop: LocalPoint, before fix: Fix) {
        jumpOffset = jumpOffset + hop
        // Jumps are found between fixes about a second apart. This one can be before the last fix of several a second.
        let moved = LocalPlane(origin: last.coordinate).coordinate(of: hop)
        if moved.distanceMeters(to: fix.coordinate) < last.coordinate.distanceMeters(to: fix.coordinate) {
            last.coordinate = moved
        }
        departureEvidence?.shift(by: hop)
        creepingEvidence?.shift(by: hop)
    }

    /// Returns the distance from the anchor, with or without the jumps: the shorter. A fix near the anchor resets them.
    private mutating func distanceMeters(of fix: Fix, seen: Double) -> Double {
        if seen <= anchor.radiusMeters(for: fix) { jumpOffset = .zero }
        guard seen <= anchor.radiusMeters(for: fix) + ReceiverErrorModel.maximumMultipathJumpMeters else { return seen }
        return min(
            seen,
            LocalPlane(origin: anchor.coordinate).eastNorthMeters(of: fix.coordinate).distanceMeters(to: jumpOffset))
    }

    /// - Parameters:
    ///   - isStill: whether the speed is one at rest.
    ///   - creepingFrom: the speed from which the fix counts as creeping, m/s.
    private mutating func noteSpeed(of fix: Fix, isStill: Bool, creepingFrom: Double, segmentMeters: Double) {
        guard let speed = fix.speedMetersPerSecond else { return }
        func noted(_ evidence: DepartureEvidence?, isStill: Bool, isMoving: Bool) -> DepartureEvidence? {
            guard !isStill else { return nil }
            var stretch = evidence ?? DepartureEvidence(from: last.coordinate)
            stretch.add(fix, segmentMeters: segmentMeters, isMoving: isMoving)
            return stretch
        }
        departureEvidence = noted(
            departureEvidence, isStill: speed < Self.movingMetersPerSecond, isMoving: isMoving(fix))
        creepingEvidence = noted(creepingEvidence, isStill: isStill, isMoving: speed > creepingFrom)
    }

    /// Whether the speed is above the noise of a stationary receiver.
    private func isMoving(_ fix: Fix) -> Bool {
        guard let speed = fix.speedMetersPerSecond else { return false }
        let noise = ReceiverErrorModel.dopplerErrorMetersPerSecond(accuracyMeters: fix.likelyAccuracyMeters)
        return speed > Self.movingMetersPerSecond + 2 * noise
    }

    private mutating func noteDistance(_ distance: Double, of fix: Fix, isFar: Bool, noise: PositionNoise) {
        guard isFar else {
            farFixes = 0
            farSince = nil
            hasMovedFar = false
            farSpeeds = 0
            return
        }
        if fix.speedMetersPerSecond ?? 0 > 0 { farSpeeds += 1 }
        // Steps within the noise led out of it: count the straight line, less what known noise explains.
        if farFixes == 0, distance > pending.meters {
            let hasSpeeds = pending.dopplerMeters > 0 || fix.speedMetersPerSecond ?? 0 > 0
            pending.extend(
                bySeen: distance - pending.meters, noiseMeters: hasSpeeds ? noise.courseDeviationMeters : 0)
        }
        farFixes += 1
        farSince = farSince ?? fix.timestamp
        hasMovedFar = hasMovedFar || isDeparting
    }

    /// Notes the time without fixes before this one if it is the longest since the vehicle was near the anchor.
    private mutating func noteSilence(before fix: Fix) {
        let new = LateDistance(meters: pending.meters, after: last.timestamp, before: fix.timestamp)
        guard pending.meters > 0 else {
            silence = nil
            return
        }
        if new.seconds > max(silence?.seconds ?? 0, MovementBounds.farConfirmationSeconds) { silence = new }
    }

    private func hasLeftBySpeed(_ fix: Fix, distance: Double) -> Bool {
        hasLeft(fix, by: departureEvidence, seconds: Self.requiredSeconds, distance: distance)
            || hasLeft(fix, by: creepingEvidence, seconds: Self.creepingSeconds, distance: distance)
    }

    private func hasLeft(_ fix: Fix, by evidence: DepartureEvidence?, seconds: Double, distance: Double) -> Bool {
        guard let evidence, let since = evidence.since else { return false }
        if since.seconds(since: anchor.since) < Self.trafficHaltSeconds {
            return evidence.fixCount >= Self.trafficHaltFixes
        }
        return evidence.fixCount >= requiredFixes(at: fix) && fix.timestamp.seconds(since: since) >= seconds - 1
            && distance > Self.departureMeters && evidence.isDeparture(to: fix)
    }

    /// Returns the number of fixes that a departure after a longer stop needs. Two that are some seconds apart span the
    /// time. Farther apart, the noise of a speed makes a way that the noise of positions confirms.
    private func requiredFixes(at fix: Fix) -> Int {
        isSparse(fix) && seconds(to: fix) <= Self.fewFixesSeconds ? Self.trafficHaltFixes : Self.requiredFixes
    }

    private func hasLeftByDistance(_ fix: Fix, distance: Double) -> Bool {
        guard let farSince else { return false }
        if fix.speedMetersPerSecond != nil, !isMoving(fix) {
            guard distance > Self.contradictionClearanceMeters + anchor.radiusMeters(for: fix) else { return false }
        }
        return farFixes >= (hasMovedFar ? Self.requiredFixes - 1 : Self.requiredFixes)
            && fix.timestamp.seconds(since: farSince) >= MovementBounds.farConfirmationSeconds
    }

    /// Whether the positions are far, but speeds that the receiver measures say that the vehicle stands: the positions
    /// before were wrong, as at a cold start, or these are. A speed of exactly 0 is no measurement.
    private func isElsewhere(_ fix: Fix, distance: Double) -> Bool {
        guard let farSince, !hasMovedFar, silence == nil, 2 * farSpeeds > farFixes,
            seconds(to: fix) <= ReceiverErrorModel.maximumSpeedIntervalSeconds
                || distance > ReceiverErrorModel.maximumMultipathJumpMeters
        else { return false }
        return farFixes >= Self.requiredFixes
            && fix.timestamp.seconds(since: farSince) >= MovementBounds.farConfirmationSeconds
            && reportedMeters < Self.explainedShare * distance
    }

    /// Moves the stop to a fix without a distance.
    private mutating func moveAnchor(to fix: Fix) {
        let since = anchor.since
        self = StopAnchor(at: fix)
        anchor = RobustCenter(at: fix, since: since)
    }

    /// Returns the distance of the departure: at least the line out of the noise, since speeds may be missing, or the
    /// line if no speed of a receiver that has speeds measured a part of it.
    private mutating func departureSegment(
        distance: Double, _ fix: Fix, noise: PositionNoise
    ) -> SegmentDistance {
        let deviation = noise.stepDeviationMeters
        let error = hypot(ReceiverErrorModel.driftMeters(accuracyMeters: fix.assumedAccuracyMeters), deviation)
        var departure = pending
        if distance - 2 * error > pending.meters {
            let isMeasured = fix.speedMetersPerSecond == nil || pending.dopplerMeters > 0
            let excess = PositionLeg.excessMeters(ofLine: distance, noiseMeters: deviation)
            let unmeasured = distance - (isMeasured ? 2 * error : excess) - pending.meters
            // The vehicle may have stood as far from the centre as its fixes have been.
            let wander = anchor.standardErrorMeters ?? 0
            departure.varianceSquareMeters += max(wander * wander - error * error, 0)
            let hasSpeeds = pending.dopplerMeters > 0 || 2 * farSpeeds > farFixes
            let share = departure.extend(
                bySeen: unmeasured, noiseMeters: hasSpeeds ? noise.courseDeviationMeters : 0)
            // Or a reflection has moved its position, and the speeds are right: as likely as not.
            if pending.dopplerMeters > 0 { departure.varianceSquareMeters += share * unmeasured * unmeasured / 2 }
            legStart = nil
        }
        departure.meters = max(departure.meters - (countedMeters ?? 0), 0)
        departure.varianceSquareMeters += error * error
        if fix.speedMetersPerSecond == nil {
            let bend = Self.bendError * distance
            departure.varianceSquareMeters += bend * bend
        }
        return departure
    }
}
