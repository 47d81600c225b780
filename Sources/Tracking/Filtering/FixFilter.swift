import OdographCivilTime
import OdographGeodesy
import OdographModel

/// Decides which fixes are accepted.
///
/// A fix must not report an insufficient accuracy, and its implied speed must fit the reported speed: a single outlier
/// would add thousands of kilometres to a distance. Fixes that are rejected as ``Rejection/implausible`` by their step,
/// as ``Rejection/timeBackwards`` or as ``Rejection/timeJump``, and agree with each other, are accepted in the end.
/// Then the last accepted fix was wrong, or the vehicle was transported.
struct FixFilter: Equatable, Sendable, Codable {
    /// The reason for a rejection.
    enum Rejection: String, Hashable, Sendable, CaseIterable {
        case inaccurate, nullIsland, duplicate, stale, early, timeBackwards, timeJump, implausible

        /// Whether the fix was rejected because of its time.
        var concernsTime: Bool {
            switch self {
            case .stale, .early, .timeBackwards, .timeJump: true
            case .inaccurate, .nullIsland, .duplicate, .implausible: false
            }
        }
    }

    /// The result of the evaluation of a fix.
    enum Verdict: Equatable, Sendable {
        case accepted
        /// Accepted although no plausible movement leads to it. A doubt begins; the distance from the last fix counts
        /// only if a movement explains it when the doubt ends.
        case acceptedAfterJump
        case rejected(Rejection)
    }

    /// The number of consecutive consistent fixes that overrule the last accepted one. A multipath or spoofed position
    /// of a consumer receiver rarely lasts three reports with plausible movement between them.
    static let requiredFixesForPosition = 3
    /// The number of consecutive consistent fixes that confirm a jump of the receiver's clock. A receiver whose clock
    /// was set continues; a cut line or a cached report is a single fix.
    private static let requiredFixesForTime = 10

    /// The largest plausible gap between dates of a replay, seconds: captures usually cover days. A replay has no
    /// independent clock, so a later date is accepted only once further fixes continue from it.
    private static let maximumReplayGapSeconds = 86_400.0

    /// The lead of the receiver's clock over the monotonic clock that counts as a jump, seconds.
    private static let clockJumpThresholdSeconds = 3600.0

    /// A reading of the receiver's clock and of the machine's clocks at the same time.
    struct TimeReference: Equatable, Codable {
        var time: Timestamp
        var received: ClockReading
    }

    private var last: Fix?
    /// The last reading that the machine's clock confirmed in this boot.
    private(set) var reference: TimeReference?
    /// Whether the monotonic clock has run without a restart since the last fix.
    private var isSameBoot = true
    /// The time when the receiver first reported the position of `last`. Some receivers repeat a position every second;
    /// the movement to the next position then began at this time.
    private var positionSince: Timestamp?
    private var doubtful: Fix?
    private var doubtfulCount = 0

    init() {}

    /// The last accepted fix.
    var lastAccepted: Fix? { last }

    /// - Parameter limits: those of the step to a fix.
    mutating func evaluate(_ fix: Fix, desiredAccuracyMeters: Double, limits: StepLimits) -> Verdict {
        let rule = limits.rule
        let verdict = verdict(on: fix, desiredAccuracyMeters: desiredAccuracyMeters, limits: limits)
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

    /// Handles a restart of the agent: doubtful fixes are forgotten, accepted ones are kept.
    mutating func handleRestart(isSameBoot: Bool) {
        self.isSameBoot = self.isSameBoot && isSameBoot
        if !isSameBoot { reference = nil }
        doubtful = nil
        doubtfulCount = 0
    }

    /// The limits of a step between two fixes.
    struct StepLimits {
        var rule: FilterRule
        /// Whether the reported speeds limit it.
        var believesSpeeds = true
        /// The least accuracy of its ends, by the noise that the positions show, metres.
        var leastAccuracyMeters = 0.0

        /// Returns how far two fixes at one place can be apart, metres.
        fileprivate func noiseMeters(from start: Fix, to end: Fix) -> Double {
            max(start.assumedAccuracyMeters, leastAccuracyMeters) + max(end.assumedAccuracyMeters, leastAccuracyMeters)
        }
    }

    private mutating func verdict(on fix: Fix, desiredAccuracyMeters: Double, limits: StepLimits) -> Verdict {
        let rule = limits.rule
        if let rejection = rejection(of: fix, desiredAccuracyMeters: desiredAccuracyMeters, rule: rule) {
            return .rejected(rejection)
        }
        guard let last else { return .accepted }
        if fix.timestamp == last.timestamp { return .rejected(.duplicate) }
        if fix.timestamp < last.timestamp { return holdBack(fix, .timeBackwards, limits) }
        if isSameBoot, isClockJump(fix, after: last) { return holdBack(fix, .timeJump, limits) }
        if isReplayDateJump(fix, after: last) {
            // The gap was long enough for any movement, so the distance counts.
            return holdBack(fix, .implausible, limits) == .acceptedAfterJump ? .accepted : .rejected(.implausible)
        }
        if isImplausible(fix, after: last, since: positionSince ?? last.timestamp, limits) {
            return holdBack(fix, .implausible, limits)
        }
        // Time makes any place plausible. A fix that goes on from a jump is a part of it.
        if let doubtful, goesOn(fix, from: doubtful, ratherThanFrom: last, limits) {
            return holdBack(fix, .implausible, limits)
        }
        return .accepted
    }

    /// Whether a fix belongs to a place that was reached by a jump, and not to the one before it.
    private func goesOn(_ fix: Fix, from doubtful: Fix, ratherThanFrom last: Fix, _ limits: StepLimits) -> Bool {
        let (near, far) = (
            fix.coordinate.distanceMeters(to: doubtful.coordinate), fix.coordinate.distanceMeters(to: last.coordinate)
        )
        return doubtful.timestamp > last.timestamp && fix.timestamp > doubtful.timestamp && near < far / 2
            && far > limits.noiseMeters(from: last, to: fix)
    }

    /// Returns the reason to reject a fix regardless of the fixes before it; nil if there is none.
    private func rejection(of fix: Fix, desiredAccuracyMeters: Double, rule: FilterRule) -> Rejection? {
        if fix.coordinate.latitudeDegrees == 0 && fix.coordinate.longitudeDegrees == 0 { return .nullIsland }
        if let accuracy = fix.accuracyMeters, accuracy > desiredAccuracyMeters { return .inaccurate }
        if let speed = fix.speedMetersPerSecond, speed > rule.maximumSpeedMetersPerSecond { return .implausible }
        guard contradictsSystemClock(fix, rule: rule), !agreesWithMonotonicClock(fix, rule: rule) else { return nil }
        return fix.received.systemTime > fix.timestamp ? .stale : .early
    }

    /// Whether the machine's clock is trusted and contradicts the fix.
    private func contradictsSystemClock(_ fix: Fix, rule: FilterRule) -> Bool {
        fix.received.isSystemTimeTrusted
            && abs(fix.received.systemTime.seconds(since: fix.timestamp)) > rule.maximumAgeSeconds
    }

    /// Whether receiver and monotonic clock have advanced equally since the machine's clock confirmed the time. Then
    /// the machine's clock was set wrong.
    private func agreesWithMonotonicClock(_ fix: Fix, rule: FilterRule) -> Bool {
        guard let reference else { return false }
        let elapsed = fix.timestamp.seconds(since: reference.time)
        return abs(elapsed - fix.received.seconds(since: reference.received)) <= rule.maximumAgeSeconds
    }

    /// Whether the receiver's clock has advanced more than the monotonic clock by over ``clockJumpThresholdSeconds``.
    private func isClockJump(_ fix: Fix, after last: Fix) -> Bool {
        fix.timestamp.seconds(since: last.timestamp) - fix.received.seconds(since: last.received)
            > Self.clockJumpThresholdSeconds
    }

    private func isReplayDateJump(_ fix: Fix, after last: Fix) -> Bool {
        fix.isMock && fix.timestamp.seconds(since: last.timestamp) > Self.maximumReplayGapSeconds
    }

    /// Whether the date of a replayed fix is an outlier that is held back, and so gives no evidence about the time.
    /// - Parameter limits: those of the step to it.
    func isReplayDateOutlier(_ fix: Fix, limits: StepLimits) -> Bool {
        guard let last, isReplayDateJump(fix, after: last) else { return false }
        return consistentFixCount(with: fix, limits) < Self.requiredFixesForPosition
    }

    /// Returns the number of consecutive fixes that continue each other, including this one.
    private func consistentFixCount(with fix: Fix, _ limits: StepLimits) -> Int {
        guard let doubtful, fix.timestamp > doubtful.timestamp,
            !isImplausible(fix, after: doubtful, since: doubtful.timestamp, limits)
        else { return 1 }
        return doubtfulCount + 1
    }

    /// Holds a fix back until enough consistent fixes have come.
    private mutating func holdBack(_ fix: Fix, _ rejection: Rejection, _ limits: StepLimits) -> Verdict {
        doubtfulCount = consistentFixCount(with: fix, limits)
        doubtful = fix
        let needed =
            rejection == .timeBackwards || rejection == .timeJump
            ? Self.requiredFixesForTime : Self.requiredFixesForPosition
        return doubtfulCount >= needed ? .acceptedAfterJump : .rejected(rejection)
    }

    /// Whether the step between two fixes implies a speed that the vehicle did not have.
    private func isImplausible(_ fix: Fix, after earlier: Fix, since: Timestamp, _ limits: StepLimits) -> Bool {
        // Fix times have a resolution of tenths at best: two reports a few milliseconds apart imply no speed.
        // A receiver's clock that was set back hides time that the monotonic clock counted.
        let passed = fix.received.seconds(since: earlier.received)
        let seconds = max(fix.timestamp.seconds(since: since), passed, 0.2)
        let distance = fix.coordinate.distanceMeters(to: earlier.coordinate)
        let way = max(distance - limits.noiseMeters(from: earlier, to: fix), 0)
        if way > limits.rule.maximumSpeedMetersPerSecond * seconds { return true }
        // Over a short time, the Doppler speeds limit the step more tightly.
        guard limits.believesSpeeds, let speed = fix.speedMetersPerSecond,
            let earlierSpeed = earlier.speedMetersPerSecond,
            seconds <= 3
        else { return false }
        let possible = max(speed, earlierSpeed) + ReceiverErrorModel.maximumAccelerationMetersPerSecondSquared * seconds
        return way > possible * seconds
    }
}
