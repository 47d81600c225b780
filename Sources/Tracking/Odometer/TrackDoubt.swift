import OdographCivilTime
import OdographGeodesy
import OdographModel

/// The doubt about the vehicle's place after a step that no movement explains.
///
/// Either the newest fixes are wrong (a reflection, a cached place, a disturbed receiver), or those before were.
/// Nothing but time tells them apart: the candidate track is believed if it goes on as the trusted one would, if the
/// vehicle drives along it, or if the doubt lasts. Each other step that nothing explains begins another candidate
/// track. Doppler speeds do not depend on the place, so where they go on as before, they measure the distance
/// meanwhile.
struct TrackDoubt: Equatable, Sendable, Codable {
    enum Decision {
        /// The newest fix is at the stop that the trusted track ended with.
        case returned
        /// The candidate track is right.
        case believed
    }

    /// The time after which a doubt ends, whatever the candidate track is, seconds. A receiver that was disturbed finds
    /// its satellites again within minutes.
    private static let longestSeconds = 900.0
    /// The same if the vehicle drives along it, seconds. Reflections change within tens of metres of driving.
    private static let drivingSeconds = 120.0
    /// The same if the trusted track was shorter than this, seconds: then it is no better than the candidate track.
    private static let shortestSeconds = 15.0
    /// The time after which a place is believed that no movement leads to, seconds. Jammers and deceivers stand at
    /// roads, airports and borders, and a vehicle that passes one is out of its reach by then.
    private static let farSeconds = 1800.0
    /// The distance from which such a place is no reflection, metres.
    private static let farMeters = 1000.0
    /// The least time for which the trusted track lasted, seconds, before its receiver is the more reliable one.
    private static let reliableSeconds = 60.0
    /// The least time for which a vehicle drives along a track, seconds: then noise is short compared with the way.
    private static let movementSeconds = 15.0
    /// A receiver's drift and a walk are slower than this, and a vehicle is faster, m/s.
    private static let drivenMetersPerSecond = ReceiverErrorModel.staticHoldMetersPerSecond
    /// The number of fixes near the place of a slow trusted track that continue it, as for the filter.
    private static let slowFixes = FixFilter.requiredFixesForPosition

    /// The trusted track as it ended.
    private let left: TrackReach
    private let origin: TrackOdometer
    /// The distance that it counted, metres.
    private let leftMeters: Double
    /// The candidate track: the trusted one, moved to its first fix.
    private(set) var candidate: TrackOdometer
    private(set) var reach = TrackReach()
    /// The time of the first fix of the first candidate track.
    private var began: Timestamp
    /// The first fix of the candidate track.
    private var entry: Fix
    private var fixCount = 0
    /// The highest speed reported since the trusted track ended, m/s.
    private var reportedMetersPerSecond = 0.0
    /// Whether it is the first candidate track, so that its beginning can be one step of the trusted one.
    private var isFirst = true
    /// Whether the candidate track began with a fix that continued the trusted one after a silence.
    private var hasLedBack = false
    /// Whether the candidate track began at a place to which no movement led.
    private var followsJump = false
    /// Whether the speeds measured the whole distance since the trusted track ended.
    private var isReckoned = true
    private var reckonedReach: TrackReach

    /// - Parameters:
    ///   - trusted: the trusted track.
    ///   - reach: its reach.
    ///   - meters: the distance that it counted.
    ///   - fix: the first fix of the candidate track.
    init(leaving trusted: TrackOdometer, reach: TrackReach, meters: Double, at fix: Fix) {
        leftMeters = meters
        left = reach
        origin = trusted
        candidate = trusted
        began = fix.timestamp
        entry = fix
        reckonedReach = reach
        enter(at: fix)
    }

    /// The speed that the vehicle may have had since, m/s: the highest reported one or that along the candidate track.
    private var fastest: Double {
        min(max(reportedMetersPerSecond, reach.metersPerSecond), MovementBounds.fastestMetersPerSecond)
    }

    /// Takes a fix that is not used because its position is wrong or old: its speed may be right.
    mutating func noteRejected(_ fix: Fix) {
        reportedMetersPerSecond = max(reportedMetersPerSecond, fix.speedMetersPerSecond ?? 0)
    }

    /// The newest fix.
    var newest: Fix { reach.newest ?? entry }
    /// The time of the last fix of the trusted track.
    var since: Timestamp { left.newest?.timestamp ?? entry.timestamp }

    /// The time of the first fix of the candidate track.
    var candidateSince: Timestamp { entry.timestamp }
    /// Whether no movement leads from the trusted track to the candidate one, so that one of the two is wrong.
    var isBeyondReach: Bool { followsJump || left.isBeyondReach(entry, atMost: fastest) }

    /// Returns whether a fix that begins another candidate track is at the place of this one, to which no movement led.
    /// Time makes any place reachable.
    private func isOfJump(_ fix: Fix) -> Bool {
        guard isBeyondReach, let last = left.newest else { return false }
        return newest.coordinate.distanceMeters(to: fix.coordinate)
            < last.coordinate.distanceMeters(to: fix.coordinate) / 2
    }

    /// The beginning of the candidate track; nil if a movement leads to it.
    var unreachable: Coordinate? { isBeyondReach ? entry.coordinate : nil }

    /// Whether the candidate track is so far away that the receiver was deceived, or shows an old place, or whether the
    /// receiver says so itself.
    private var isFar: Bool {
        guard let last = left.newest, left.ageSeconds >= Self.reliableSeconds, isBeyondReach else { return false }
        if newest.isJammed { return true }
        return last.coordinate.distanceMeters(to: entry.coordinate) >= Self.farMeters
    }

    /// Takes the next fix.
    /// - Parameter hasJumped: whether no movement leads to it, by the filter.
    mutating func add(_ reported: Fix, jump: LocalPoint?, hasJumped: Bool) {
        // Positions that are in doubt refute no speed.
        let fix = origin.speeds.judged(reported)
        let continues = !hasJumped && reach.explains(fix, mayAccelerate: true)
        guard continues, !leadsBack(fix) else {
            (isFirst, hasLedBack) = (false, continues)
            followsJump = isOfJump(fix)
            return enter(at: fix)
        }
        fixCount += 1
        noteRejected(fix)
        reach.update(with: fix)
        candidate.advance(to: reported, jump: jump)
    }

    /// Whether a fix after a silence continues the trusted track better than the candidate one. Over a long time any
    /// track reaches any place. So only one fix continues the trusted track in this way, and the next ones are measured
    /// from that fix. Otherwise no candidate track would last where all fixes are far apart.
    private func leadsBack(_ fix: Fix) -> Bool {
        guard !hasLedBack, fix.timestamp.seconds(since: newest.timestamp) > Self.movementSeconds else { return false }
        return left.detourShare(to: fix) < min(reach.detourShare(to: fix), 1)
    }

    private mutating func enter(at fix: Fix) {
        entry = fix
        fixCount = 1
        noteRejected(fix)
        candidate = origin
        candidate.relocate(to: fix)
        reach = TrackReach()
        reach.update(with: fix)
    }

    /// Returns the distance to the newest fix by the speeds alone; nil if they do not measure it.
    mutating func reckon() -> SegmentDistance? {
        defer { reckonedReach.update(with: newest) }
        // At a place where it cannot be, a parked vehicle does not drive either.
        if origin.stopAnchor != nil, isFar { isReckoned = false }
        guard isReckoned, let from = reckonedReach.newest, let meters = reckonedReach.reckonedMeters(to: newest) else {
            isReckoned = false
            return nil
        }
        let noise = ReceiverErrorModel.dopplerErrorMetersPerSecond(accuracyMeters: newest.likelyAccuracyMeters)
        let least =
            origin.stopAnchor == nil
            ? MovementBounds.stationaryMetersPerSecond : StopAnchor.movingMetersPerSecond + 2 * noise
        let seconds = newest.timestamp.seconds(since: from.timestamp)
        return meters > least * seconds ? SegmentDistance(reckonedMeters: meters, seconds: seconds, noise: noise) : nil
    }

    /// The decision, if there is enough evidence.
    var decision: Decision? {
        if isBackAtStop { return .returned }
        if isFar { return newest.timestamp.seconds(since: began) >= Self.farSeconds ? .believed : nil }
        let age = reach.ageSeconds
        let isOver = newest.timestamp.seconds(since: began) >= Self.longestSeconds
        let isNoWorse = left.ageSeconds < Self.shortestSeconds && age >= Self.shortestSeconds
        return continuesTrusted || isOver || isNoWorse || age >= Self.drivingSeconds && isDriven ? .believed : nil
    }

    /// Whether the vehicle is at its stop again, and does not drive past it.
    private var isBackAtStop: Bool {
        guard let anchor = origin.stationaryCenter, newest.speedMetersPerSecond ?? 0 < Self.drivenMetersPerSecond
        else { return false }
        return anchor.coordinate.distanceMeters(to: newest.coordinate)
            <= anchor.radiusMeters(for: newest) + StopAnchor.clearanceMeters
    }

    /// Whether the candidate track goes on as the trusted one would.
    private var continuesTrusted: Bool {
        if isFirst, let speed = reach.knownSpeed, fixCount > 1, left.canReach(entry, at: speed) { return true }
        guard left.leads(to: entry, atMost: fastest) else { return false }
        return isDriven
            || left.metersPerSecond < Self.drivenMetersPerSecond && origin.stopAnchor == nil
                && fixCount >= Self.slowFixes
    }

    /// Whether the vehicle drives along the candidate track.
    var isDriven: Bool {
        let age = reach.ageSeconds
        let line = entry.coordinate.distanceMeters(to: newest.coordinate)
        let noise = entry.assumedAccuracyMeters + newest.assumedAccuracyMeters
        return age >= Self.movementSeconds && line > noise + Self.drivenMetersPerSecond * age
    }

    /// The road from the trusted to the candidate track; nil if the vehicle cannot have driven it.
    private var bridge: SegmentDistance? {
        guard continuesTrusted || left.leads(to: entry, atMost: fastest), let last = left.newest else { return nil }
        return origin.segment(from: last, to: entry)
    }

    /// Returns the odometer that goes on along the candidate track.
    /// - Parameter trusted: the trusted one, which has counted what the speeds measured.
    func believed(after trusted: TrackOdometer) -> TrackOdometer {
        guard !isReckoned else { return trusted.continued(along: candidate) }
        var odometer = candidate
        if let bridge {
            odometer.count(bridge)
            let longest = left.missingMeters(overSeconds: entry.timestamp.seconds(since: since))
            odometer.addError(meters: max(longest - bridge.meters, 0) / SegmentDistance.boundInStandardErrors)
        } else {
            odometer.addError(meters: (missingMeters + deceptionMeters) / SegmentDistance.boundInStandardErrors)
        }
        return odometer.totalMeters < trusted.totalMeters ? trusted.continued(along: candidate) : odometer
    }

    /// The distance that may be missing if the step to the candidate track was no movement, metres: what was driven
    /// until then, while a track was trusted that no vehicle drove along, or while the candidate track was wrong and
    /// led back to the road from the trusted one.
    private var missingMeters: Double {
        let seconds = left.provenSeconds
        let isProven = seconds >= Self.drivingSeconds || leftMeters > Self.drivenMetersPerSecond * seconds
        let wrong = isProven ? 0 : max(seconds * reach.metersPerSecond, leftMeters)
        var road = 0.0
        if let last = left.newest, left.leads(to: newest, atMost: fastest) {
            road = max(origin.segment(from: last, to: newest).meters - ownMeters, 0)
        }
        return max(left.missingMeters(overSeconds: entry.timestamp.seconds(since: since)) + wrong, road, heldMeters)
    }

    /// The distance that may be missing because the trusted track ended with a position that the receiver held, metres:
    /// it may have been frozen while the vehicle drove to the candidate track.
    private var heldMeters: Double {
        guard let hold = left.hold, entry.timestamp.seconds(since: hold.timestamp) > Self.shortestSeconds,
            hold.coordinate.distanceMeters(to: entry.coordinate)
                <= MovementBounds.fastestMetersPerSecond * entry.timestamp.seconds(since: hold.timestamp)
        else { return 0 }
        let road = origin.segment(from: hold, to: entry)
        return road.meters + road.errorMeters
    }

    /// The distance that counts wrongly, or not, if the candidate track is far away and only seemed right in the end:
    /// that along it and the road to it, metres.
    private var deceptionMeters: Double {
        guard isFar, let last = left.newest else { return 0 }
        return ownMeters + origin.segment(from: last, to: entry).meters
    }

    /// The distance along the candidate track, metres.
    private var ownMeters: Double { candidate.totalMeters - origin.totalMeters }

    /// Returns what either track can add until a time, metres.
    func undecidedMeters(until time: Timestamp) -> Double {
        if isReckoned {
            return left.missingMeters(overSeconds: time.seconds(since: newest.timestamp), atMost: fastest)
        }
        let alone = left.missingMeters(overSeconds: time.seconds(since: since), atMost: reportedMetersPerSecond)
        let error = max(candidate.errorMeters - origin.errorMeters, 0)
        return max(alone, ownMeters + error + max(bridge?.meters ?? 0, missingMeters))
    }

    /// Returns the same doubt after the trusted reading was set.
    func restarted(leaving trusted: TrackOdometer) -> TrackDoubt {
        var doubt = TrackDoubt(leaving: trusted, reach: left, meters: leftMeters, at: newest)
        doubt.began = began
        return doubt
    }
}
