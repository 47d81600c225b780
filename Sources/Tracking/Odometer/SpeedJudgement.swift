import OdographCivilTime
import OdographGeodesy
import Glibc
import OdographModel

/// Judges the reported speeds by the positions, and the positions by the speeds.
///
/// Both measure the distance of a stretch. The integral of the speeds follows each bend and has no error of the
/// positions, but an unknown scale, and not every reported speed was measured. The length by the positions has the
/// right scale, but their noise. Where the two agree within their errors, the speeds count, by the scale that the
/// stretches show (least squares, ``DistanceScale``; firm threshold: Gao and Bruce 1997). Where they do not, the
/// innovation refutes one of them (Mehra 1970, of a Kalman filter): positions that stay where the speeds drive on
/// refute the speeds, and so do positions that go on farther than a reflection. Until then the bound contains the
/// difference.
struct SpeedJudgement: Equatable, Sendable, Codable {
    /// The least length of a stretch, seconds: the noise of its ends is then small compared with the distance.
    private static let stretchSeconds = 20.0
    /// The least number of fixes in it, and its longest time in multiples of the least one.
    private static let stretchFixes = 4
    private static let longestStretch = 2.0
    /// The error that refutes a measurement, in standard errors.
    static let refutation = 4.0
    /// The least length by the positions in standard errors that teaches the scale.
    private static let minimumSignal = 10.0
    /// The number of stretches in a row that agree with each other before a new scale counts, or refuted speeds again.
    private static let requiredStretches = 3
    /// The distance over which the scale is forgotten, metres: a carried receiver changes its vehicle.
    private static let memoryMeters = 5000.0
    /// The least mean cosine between the reported headings and the lines: a constant or random heading has 0.
    private static let leastHeadingAgreement = 0.8
    /// The weight of a leg in that mean.
    private static let headingStep = 0.05

    private(set) var noise = PositionNoise()
    private var scale = DistanceScale()
    /// Whether the speeds do not measure the movement.
    private(set) var isRefuted = false
    /// The number of stretches in a row that agreed with the scale.
    private var agreeing = 0
    /// The scale that stretches show which contradict the one that counts.
    private var other = OtherScale()
    /// Where the positions began to go on farther than the speeds; nil if they do not.
    private var unexplainedFrom: Coordinate?
    /// The difference between both lengths of stretches that can be judged no more, metres.
    private var lostMeters = 0.0
    private var stretch: Stretch?
    /// The newest fix, and the newest speed that is no outlier.
    private var last: Fix?
    private var lastSpeed: Double?
    private var headingAgreement = 1.0
    /// The distance from speeds, whose standard error is common to all segments.
    var distance = ScaledDistance()

    // MARK: Judged fixes

    /// Returns a fix with its speed as far as it is believed.
    func judged(_ fix: Fix) -> Fix {
        var fix = fix
        if isRefuted || isOutlier(fix) {
            (fix.speedMetersPerSecond, fix.headingDegrees) = (nil, nil)
        } else if let speed = fix.speedMetersPerSecond {
            fix.speedMetersPerSecond = speed * factor
            // The accuracy is no better than the noise that the positions show.
            fix.accuracyMeters = fix.accuracyMeters.map { max($0, leastAccuracyMeters) }
        }
        if !hasTrueHeadings { fix.headingDegrees = nil }
        return fix
    }

    /// Whether the reported headings are the directions of travel.
    private var hasTrueHeadings: Bool { headingAgreement >= Self.leastHeadingAgreement }

    /// The least accuracy by the noise that the positions show, metres.
    var leastAccuracyMeters: Double { SegmentDistance.boundInStandardErrors * noise.deviationMeters }

    /// Notes a position that is not used.
    mutating func noteNoise(of fix: Fix, isResting: Bool) { noise.update(with: fix, isResting: isResting) }

    /// The error of the scale as a share, in which no step is a hop: of the known scale, or half of any.
    var hopShare: Double { agreeing >= Self.requiredStretches ? Self.refutation * scale.standardError : 0.5 }

    /// The factor of the speeds: 1 within two standard errors of the estimate, all of it from four.
    var factor: Double {
        1 + DistanceScale.thresholded(scale.factor - 1, standardError: scale.standardError)
    }

    /// Whether a speed is an outlier: no engine reaches it from the last one, and the positions do not show it.
    private func isOutlier(_ fix: Fix) -> Bool {
        guard let last, let lastSpeed, let speed = fix.speedMetersPerSecond else { return false }
        let seconds = fix.timestamp.seconds(since: last.timestamp)
        guard seconds > 0, speed > lastSpeed + TrackReach.usualAcceleration * max(seconds, 1) else { return false }
        let step = last.coordinate.distanceMeters(to: fix.coordinate)
        let drift = ReceiverErrorModel.driftMeters(from: last, to: fix)
        return step + Self.refutation * drift < factor * speed * seconds / 2
    }

    // MARK: Errors

    /// The standard error of the distance from speeds, common to all segments, metres.
    var errorMeters: Double { distance.errorMeters(scaleError: residualError) }

    /// The standard error of the scale that counts. A hardly visible difference is probably none: Doppler speeds have
    /// the scale of the carrier's frequency. What was corrected has the scale of the positions.
    private var residualError: Double {
        let (share, error) = (abs(scale.factor - 1), scale.shownError)
        guard scale.isKnown, share > 0 else { return error }
        let (residual, corrected) = (min(share * share / (4 * error), error), abs(factor - 1) / share)
        return hypot(residual, corrected * SegmentDistance.relativeLineError)
    }

    /// Notes a distance that the odometer counts.
    mutating func count(_ leg: SegmentDistance) {
        stretch?.countedMeters += leg.meters
        distance.count(leg.dopplerMeters)
    }

    /// Notes the distance of a departure to a judged fix: what is longer than the stretch was driven before it.
    mutating func countDeparture(_ leg: SegmentDistance, to fix: Fix) {
        distance.count(leg.dopplerMeters)
        guard let open = stretch, let last else { return }
        let speeds = factor * (last.speedMetersPerSecond ?? 0) + (fix.speedMetersPerSecond ?? 0)
        let step = speeds / 2 * fix.timestamp.seconds(since: last.timestamp)
        let longest = max(factor * open.speedMeters + step, positionMeters(of: open, to: fix))
        let own = min(leg.meters, max(longest - open.countedMeters, 0))
        stretch?.countedMeters += own
        // Stretches that ended before the departure was certain had counted nothing.
        other.count(min(leg.meters - own, max(factor * other.speedMeters - other.countedMeters, 0)))
    }

    /// Returns by how much the odometer may have counted too much and too little, metres, while it is not decided
    /// whether speeds or positions are right.
    var undecidedMeters: (over: Double, under: Double) {
        guard !isRefuted, let stretch, let last else { return (0, 0) }
        let counted = stretch.countedMeters
        let by = positionMeters(of: stretch, to: last)
        let error = 2 * standardError(of: stretch, to: last) + stretch.hiddenMeters
        let before = other.missingMeters
        return (max(counted - by - error, 0) + max(-before, 0), max(by - counted - error, 0) + max(before, 0))
    }

    /// Returns the longest distance that the positions allow the speeds to count since the stretch began, metres.
    private func limitMeters(of stretch: Stretch, to fix: Fix) -> Double {
        positionMeters(of: stretch, to: fix) + Self.refutation * standardError(of: stretch, to: fix)
            + stretch.hiddenMeters
    }

    /// The part of the odometer's reading that the positions do not allow yet, metres.
    var excessMeters: Double {
        guard !isRefuted, let stretch, let last else { return 0 }
        return max(stretch.countedMeters - limitMeters(of: stretch, to: last), 0)
    }

    // MARK: Stretches

    /// Forgets the positions: the next fix does not continue the track.
    mutating func interrupt() {
        noise.interrupt()
        (stretch, last, lastSpeed, unexplainedFrom) = (nil, nil, nil, nil)
    }

    /// Takes the next fix of an uninterrupted track.
    /// - Parameters:
    ///   - fix: the fix as the receiver reported it.
    ///   - tortuosity: the tortuosity of the roads.
    ///   - isResting: whether the vehicle stands.
    /// - Returns: the distance to add to the odometer's reading, since the positions show another one.
    mutating func update(with fix: Fix, isResting: Bool, tortuosity: Tortuosity) -> Correction {
        noise.update(with: fix, isResting: isResting)
        if !hasTrueHeadings { noise.forgetCourse() }
        let isOutlier = isOutlier(fix)
        let before = lastSpeed
        let previous = last
        last = fix
        if !isOutlier { lastSpeed = fix.speedMetersPerSecond }
        guard let previous, let before, let speed = isOutlier ? before : fix.speedMetersPerSecond,
            case let seconds = fix.timestamp.seconds(since: previous.timestamp), seconds > 0,
            seconds <= TrackReach.speedSeconds, var open = stretch
        else {
            stretch = fix.speedMetersPerSecond == nil ? nil : Stretch(at: fix)
            return Correction()
        }
        open.add(
            meters: (before + speed) / 2 * seconds, seconds: seconds, fix: fix, scale: factor)
        if speed == 0 || speed == before { open.heldCount += 1 }
        if isHop(from: previous, to: fix, speeds: (before, speed), seconds: seconds) { open.hopCount += 1 }
        closeLeg(of: &open, at: fix, seconds: seconds, tortuosity: tortuosity)
        stretch = open
        let age = fix.timestamp.seconds(since: open.first.timestamp)
        let least = max(Self.stretchSeconds, Double(Self.stretchFixes) * seconds)
        guard open.fixCount >= Self.stretchFixes, age >= least else { return Correction() }
        guard open.legStart == fix || age >= Self.longestStretch * least else { return Correction() }
        lostMeters = 0
        let correction = decide(open, at: fix, countedMeters: open.countedMeters)
        stretch = Stretch(at: fix)
        return Correction(meters: correction, errorMeters: lostMeters / SegmentDistance.boundInStandardErrors)
    }

    /// The effects of a finished stretch on the odometer's reading.
    struct Correction {
        var meters = 0.0
        /// The standard error to add, metres.
        var errorMeters = 0.0
    }

    private mutating func closeLeg(of open: inout Stretch, at fix: Fix, seconds: Double, tortuosity: Tortuosity) {
        let deviation = noise.stepDeviationMeters
        let least = PositionLeg.leastMeters(to: fix, noiseMeters: deviation)
        guard open.legStart.coordinate.distanceMeters(to: fix.coordinate) >= least else {
            open.hiddenMeters = max(open.hiddenMeters, least)
            return
        }
        if fix.timestamp.seconds(since: open.legStart.timestamp) <= SegmentDistance.dopplerSpanSeconds {
            open.positionMeters = positionMeters(of: open, to: fix)
        } else {
            let leg = PositionLeg.segment(
                from: open.legStart, to: fix, tortuosity: tortuosity, noiseMeters: deviation)
            open.positionMeters += leg.meters
            open.sharedMeters += leg.detourMeters
        }
        noteHeading(of: fix, line: open.legStart.coordinate.initialHeadingDegrees(to: fix.coordinate))
        open.legStart = fix
    }

    private mutating func noteHeading(of fix: Fix, line: Double) {
        guard let heading = fix.headingDegrees,
            (fix.speedMetersPerSecond ?? 0) >= MovementBounds.stationaryMetersPerSecond
        else { return }
        headingAgreement += Self.headingStep * (cos((heading - line) * .pi / 180) - headingAgreement)
    }

    /// Returns the length of a stretch by the positions, metres.
    private func positionMeters(of stretch: Stretch, to fix: Fix) -> Double {
        let line = stretch.legStart.coordinate.distanceMeters(to: fix.coordinate)
        return stretch.positionMeters + line
            - PositionLeg.excessMeters(ofLine: line, noiseMeters: noise.stepDeviationMeters)
    }

    /// Returns the standard error of the difference between the two lengths of a stretch, metres, apart from the scale.
    private func standardError(of stretch: Stretch, to fix: Fix) -> Double {
        let drift = ReceiverErrorModel.driftMeters(from: stretch.first, to: fix)
        let deviation = noise.stepDeviationMeters
        return
            (2 * (drift * drift + deviation * deviation) + stretch.sharedMeters * stretch.sharedMeters
            + factor * factor * stretch.varianceSquareMeters).squareRoot()
    }

    /// The two lengths of a stretch.
    private struct Comparison {
        var positionMeters: Double
        /// The length by the speeds and their scale.
        var speedMeters: Double
        /// The standard error of the difference of both, without that of the scale.
        var errorMeters: Double
        /// The difference above which one of them is refuted.
        var limitMeters: Double
        /// The longest part that one leg or one interval can hide.
        var hiddenMeters: Double

        var differs: Bool { abs(speedMeters - positionMeters) > limitMeters }
        var isUnder: Bool { positionMeters - speedMeters > limitMeters }
        var isOver: Bool { speedMeters - positionMeters > limitMeters + hiddenMeters }
    }

    private func compare(_ stretch: Stretch, at fix: Fix) -> Comparison {
        let error = standardError(of: stretch, to: fix)
        let scaleError = scale.standardError * stretch.speedMeters
        return Comparison(
            positionMeters: positionMeters(of: stretch, to: fix), speedMeters: factor * stretch.speedMeters,
            errorMeters: error,
            limitMeters: Self.refutation * (error * error + scaleError * scaleError).squareRoot(),
            hiddenMeters: stretch.hiddenMeters)
    }

    /// Judges a finished stretch.
    /// - Returns: the distance to add to the odometer's reading, metres.
    private mutating func decide(_ stretch: Stretch, at fix: Fix, countedMeters counted: Double) -> Double {
        let lengths = compare(stretch, at: fix)
        let (by, told, error) = (lengths.positionMeters, lengths.speedMeters, lengths.errorMeters)
        let isTelling = isTelling(stretch, at: fix)
        let isUnexplained = lengths.isUnder && 2 * stretch.heldCount >= stretch.fixCount
        unexplainedFrom = isUnexplained ? unexplainedFrom ?? stretch.first.coordinate : nil
        if lengths.isOver && !stretch.hasHops || hasGoneFarther(than: told, at: fix) {
            let wasRefuted = isRefuted
            if !isRefuted { distance.close(scaleError: residualError) }
            (isRefuted, agreeing) = (true, 0)
            let former = wasRefuted ? 0 : other.missingMeters
            learnOther(from: stretch, by: by, error: error, counted: counted, isTelling: isTelling)
            guard !wasRefuted else { return adoptOther() }
            other.settle()
            return lengths.isOver ? min(by - counted, 0) + min(former, 0) : max(by - counted, 0) + max(former, 0)
        }
        guard isTelling else { return 0 }
        if lengths.differs {
            agreeing = 0
            learnOther(from: stretch, by: by, error: error, counted: counted, isTelling: isTelling)
            return adoptOther()
        }
        forgetOther()
        if !stretch.isHeld { agreeing += 1 }
        if isRefuted, agreeing >= Self.requiredStretches { isRefuted = false }
        return learn(stretch, by: by, error: error)
    }

    /// Whether the positions have gone on farther than a reflection and the speeds together.
    private func hasGoneFarther(than told: Double, at fix: Fix) -> Bool {
        guard let unexplainedFrom else { return false }
        return unexplainedFrom.distanceMeters(to: fix.coordinate) > ReceiverErrorModel.maximumMultipathJumpMeters
            + 2 * fix.assumedAccuracyMeters + told
    }

    /// Whether both lengths of a stretch are clear of the noise, and of positions that hop.
    private func isTelling(_ stretch: Stretch, at fix: Fix) -> Bool {
        !stretch.hasHops
            && min(positionMeters(of: stretch, to: fix), stretch.speedMeters)
                >= Self.minimumSignal * standardError(of: stretch, to: fix)
    }

    private mutating func learn(_ stretch: Stretch, by: Double, error: Double) -> Double {
        let before = factor
        if !isRefuted {
            distance.close(
                scaleError: residualError, keeping: Self.memoryMeters / (Self.memoryMeters + stretch.speedMeters))
        }
        scale.learn(
            meters: by, measured: stretch.speedMeters, variance: error * error, sharedMeters: stretch.sharedMeters,
            memoryMeters: Self.memoryMeters)
        return isRefuted ? 0 : distance.rescale(by: factor / before)
    }

    /// Learns another scale from a stretch that contradicts the known one.
    private mutating func learnOther(
        from stretch: Stretch, by: Double, error: Double, counted: Double, isTelling: Bool
    ) {
        guard isTelling, !stretch.isHeld else { return forgetOther() }
        if !other.agrees(with: stretch, positionMeters: by, errorMeters: error) { forgetOther() }
        other.learn(
            stretch, positionMeters: by, errorMeters: error, countedMeters: counted, memoryMeters: Self.memoryMeters)
    }

    /// Adopts another scale that enough stretches agree on.
    private mutating func adoptOther() -> Double {
        guard other.count >= Self.requiredStretches else { return 0 }
        let correction = isRefuted ? 0 : other.scale.factor * other.speedMeters - other.countedMeters
        if !isRefuted { distance.close(scaleError: residualError) }
        scale = other.scale
        isRefuted = false
        other = OtherScale()
        return correction
    }

    /// Forgets the other scale. What it would have counted remains in doubt.
    private mutating func forgetOther() {
        if !isRefuted { lostMeters += abs(other.missingMeters) }
        other = OtherScale()
    }
}
