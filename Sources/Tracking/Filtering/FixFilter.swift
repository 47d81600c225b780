import CivilTime
import Geodesy

/// Decides which fixes are believed.
///
/// A fix passes on its accuracy, and on the implied speed compared with the reported one: a single wild fix adds
/// thousands of kilometres to a distance. Rejected fixes that agree with each other are accepted in the end: then the
/// last accepted one was wrong, or the vehicle was carried.
struct FixFilter: Equatable, Sendable, Codable {
    /// The reason why a fix is not believed.
    enum Rejection: String, Hashable, Sendable, Codable, CaseIterable {
        case inaccurate, nullIsland, duplicate, stale, early, timeBackwards, timeJump, implausible

        /// Whether the time of the fix is not believed.
        var concernsTime: Bool {
            switch self {
            case .stale, .early, .timeBackwards, .timeJump: true
            case .inaccurate, .nullIsland, .duplicate, .implausible: false
            }
        }
    }

    /// The decision about a fix.
    enum Verdict: Equatable, Sendable {
        case accepted
        /// Accepted although the vehicle cannot have driven there; the distance does not count.
        case acceptedAfterJump
        case rejected(Rejection)
    }

    /// As many fixes in a row that agree with each other overrule the last accepted one. A multipath or spoofed
    /// position of a consumer receiver rarely lasts three epochs with a plausible way between them.
    static let requiredFixesForPosition = 3
    /// Time must run on for this many fixes before a jump of the receiver's clock is believed: a cut line or a cached
    /// report is a single one, a receiver that was set anew goes on.
    private static let requiredFixesForTime = 10

    /// In a capture there is no clock beside the dates. One that is later than the last by more than this may be wild,
    /// and is believed once others go on from it, seconds: captures are of days as a rule.
    private static let maximumReplayGapSeconds = 86_400.0

    /// A receiver's time that runs away from the monotonic clock by more than this has jumped, seconds.
    private static let clockJumpThresholdSeconds = 3600.0

    /// A reading of the receiver's clock and of the monotonic one.
    private struct TimeReference: Equatable, Codable {
        var time: Timestamp
        var received: ClockReading
    }

    private var last: Fix?
    /// The last that the machine's clock confirmed, of this boot.
    private var reference: TimeReference?
    /// Whether the monotonic clock is still that of the last fix.
    private var isSameBoot = true
    /// When the receiver first reported the position that `last` has: some hold a position and repeat it every second,
    /// and then the way to the next is not one of a second.
    private var positionSince: Timestamp?
    private var doubtful: Fix?
    private var doubtfulCount = 0

    init() {}

    /// A filter that continues after a believed fix.
    /// - Parameter confirmed: a time that the machine's clock confirmed in this boot, and what the monotonic one said
    ///   then.
    init(last fix: Fix, confirmed: (time: Timestamp, uptimeMilliseconds: Int64)?) {
        last = fix
        positionSince = fix.timestamp
        reference = confirmed.map {
            TimeReference(
                time: $0.time,
                received: ClockReading(
                    systemTime: $0.time, uptimeMilliseconds: $0.uptimeMilliseconds, isSystemTimeTrusted: true))
        }
    }

    /// The last believed fix.
    var lastAccepted: Fix? { last }

    /// The last time that the machine's clock confirmed, and what the monotonic one said then; nil where it is of
    /// another boot.
    var confirmedTime: (time: Timestamp, uptimeMilliseconds: Int64)? {
        reference.map { ($0.time, $0.received.uptimeMilliseconds) }
    }

    mutating func evaluate(
        _ fix: Fix, desiredAccuracyMeters: Double, rule: FilterRule
    ) -> Verdict {
        let verdict = verdict(on: fix, desiredAccuracyMeters: desiredAccuracyMeters, rule: rule)
        if case .rejected = verdict { return verdict }
        if last?.coordinate != fix.coordinate { positionSince = fix.timestamp }
        last = fix
        isSameBoot = true
        if fix.received.isSystemTimeTrusted, !contradictsSystemClock(fix, rule: rule) {
            reference = TimeReference(time: fix.timestamp, received: fix.received)
        }
        doubtful = nil
        doubtfulCount = 0
        return verdict
    }

    /// Forgets the doubtful fixes, because the agent has started again.
    mutating func handleRestart(isSameBoot: Bool) {
        self.isSameBoot = self.isSameBoot && isSameBoot
        if !isSameBoot { reference = nil }
        doubtful = nil
        doubtfulCount = 0
    }

    private mutating func verdict(on fix: Fix, desiredAccuracyMeters: Double, rule: FilterRule) -> Verdict {
        if let rejection = rejection(of: fix, desiredAccuracyMeters: desiredAccuracyMeters, rule: rule) {
            return .rejected(rejection)
        }
        guard let last else { return .accepted }
        if fix.timestamp == last.timestamp { return .rejected(.duplicate) }
        if fix.timestamp < last.timestamp { return holdBack(fix, .timeBackwards, rule: rule) }
        if isSameBoot, isClockJump(fix, after: last) { return holdBack(fix, .timeJump, rule: rule) }
        if isReplayDateJump(fix, after: last) {
            // There was time enough for any way: it is counted.
            return holdBack(fix, .implausible, rule: rule) == .acceptedAfterJump ? .accepted : .rejected(.implausible)
        }
        if isImplausible(fix, after: last, since: positionSince ?? last.timestamp, rule: rule) {
            return holdBack(fix, .implausible, rule: rule)
        }
        return .accepted
    }

    /// Returns the fault of a fix by itself; nil for none.
    private func rejection(of fix: Fix, desiredAccuracyMeters: Double, rule: FilterRule) -> Rejection? {
        if fix.coordinate.latitudeDegrees == 0 && fix.coordinate.longitudeDegrees == 0 { return .nullIsland }
        if let accuracy = fix.accuracyMeters, accuracy > desiredAccuracyMeters { return .inaccurate }
        if let speed = fix.speedMetersPerSecond, speed > rule.maximumSpeedMetersPerSecond { return .implausible }
        guard contradictsSystemClock(fix, rule: rule), !agreesWithMonotonicClock(fix, rule: rule) else { return nil }
        return fix.received.systemTime > fix.timestamp ? .stale : .early
    }

    /// Whether the machine's trusted clock has another time.
    private func contradictsSystemClock(_ fix: Fix, rule: FilterRule) -> Bool {
        fix.received.isSystemTimeTrusted
            && abs(fix.received.systemTime.seconds(since: fix.timestamp)) > rule.maximumAgeSeconds
    }

    /// Whether as much time has passed by the receiver as by the monotonic clock since the machine confirmed it: then
    /// it is the machine's clock that somebody has set wrong.
    private func agreesWithMonotonicClock(_ fix: Fix, rule: FilterRule) -> Bool {
        guard let reference else { return false }
        let elapsed = fix.timestamp.seconds(since: reference.time)
        return abs(elapsed - fix.received.seconds(since: reference.received)) <= rule.maximumAgeSeconds
    }

    /// Whether clearly more time has passed by the receiver than by the monotonic clock.
    private func isClockJump(_ fix: Fix, after last: Fix) -> Bool {
        fix.timestamp.seconds(since: last.timestamp) - fix.received.seconds(since: last.received)
            > Self.clockJumpThresholdSeconds
    }

    private func isReplayDateJump(_ fix: Fix, after last: Fix) -> Bool {
        fix.isMock && fix.timestamp.seconds(since: last.timestamp) > Self.maximumReplayGapSeconds
    }

    /// Whether a fix of a capture is to be held back for its date, which then says nothing of the time either.
    func isReplayDateOutlier(_ fix: Fix, rule: FilterRule) -> Bool {
        guard let last, isReplayDateJump(fix, after: last) else { return false }
        return consistentFixCount(with: fix, rule: rule) < Self.requiredFixesForPosition
    }

    /// Returns the number of fixes in a row that continue each other, with this one.
    private func consistentFixCount(with fix: Fix, rule: FilterRule) -> Int {
        guard let doubtful, fix.timestamp > doubtful.timestamp,
            !isImplausible(fix, after: doubtful, since: doubtful.timestamp, rule: rule)
        else { return 1 }
        return doubtfulCount + 1
    }

    /// Rejects a fix until enough fixes agree with it.
    private mutating func holdBack(_ fix: Fix, _ rejection: Rejection, rule: FilterRule) -> Verdict {
        doubtfulCount = consistentFixCount(with: fix, rule: rule)
        doubtful = fix
        let needed =
            rejection == .timeBackwards || rejection == .timeJump
            ? Self.requiredFixesForTime : Self.requiredFixesForPosition
        return doubtfulCount >= needed ? .acceptedAfterJump : .rejected(rejection)
    }

    /// Whether the distance between two fixes implies a speed that the vehicle did not have.
    private func isImplausible(_ fix: Fix, after earlier: Fix, since: Timestamp, rule: FilterRule) -> Bool {
        // The clock of a fix counts tenths at best: two reports a few milliseconds apart imply nothing.
        let seconds = max(fix.timestamp.seconds(since: since), 0.2)
        let distance = fix.coordinate.distanceMeters(to: earlier.coordinate)
        let noise = fix.assumedAccuracyMeters + earlier.assumedAccuracyMeters
        let way = max(distance - noise, 0)
        if way > rule.maximumSpeedMetersPerSecond * seconds { return true }
        // Doppler knows better for as long as the speed cannot have changed much.
        guard let speed = fix.speedMetersPerSecond, let earlierSpeed = earlier.speedMetersPerSecond, seconds <= 3
        else { return false }
        let possible = max(speed, earlierSpeed) + ReceiverErrorModel.maximumAccelerationMetersPerSecondSquared * seconds
        return way > possible * seconds
    }
}
