import OdographCivilTime
import OdographCrontab
import OdographModel

/// Decides whether tracking is on, from the schedule and the evidence for the time.
///
/// The gate reads no clock: the same clock readings in the same order give the same changes. Each change has its own
/// instant, however late it is noticed. So sleep of the machine or a jump of a replay does not alter them.
public struct ScheduleGate: Equatable, Sendable {
    /// The state of tracking according to the schedule.
    public enum State: Hashable, Sendable, Codable {
        /// Tracking is on.
        case open
        /// Tracking is off; the rule applies to positions.
        case closed(OffScheduleRule)

        /// Whether tracking is on.
        public var isOpen: Bool { self == .open }

        /// The rule that applies while tracking is off; nil while it is on.
        public var rule: OffScheduleRule? {
            if case .closed(let rule) = self { rule } else { nil }
        }

        /// Whether positions are recorded: while tracking is on, and while it is off in mode `tag`.
        public var recordsPositions: Bool { rule?.mode ?? .tag == .tag }
    }

    /// A change of the state.
    public struct Change: Hashable, Sendable {
        /// The time of the change.
        public let clockReading: ClockReading
        /// The state from then on.
        public let state: State
    }

    /// The largest number of changes that a jump of the time returns one by one; then only the last is.
    private static let maximumCatchUpChanges = 64
    /// The interval of retries while the time is unknown, seconds.
    private static let unknownTimeRetrySeconds = 10.0
    /// The greatest age of a position without a clock of the machine, milliseconds. With an older one the receiver's
    /// date has changed.
    private static let maximumAgeMilliseconds: Int64 = 3_600_000

    /// The current schedule.
    public private(set) var schedule: TrackingSchedule
    /// The state since the last change.
    public private(set) var state: State
    /// The next opening or closing; nil if there is none or the time is unknown.
    public private(set) var nextChange: Timestamp?

    /// The instant from which ``nextChange`` was computed; nil if it was not computed.
    private var lastEvaluation: Timestamp?
    /// The evidence for the date.
    private var evidence: DateEvidence
    /// Whether the embedding program overrides the closed schedule this time.
    private var isOverridden = false
    /// The state by the hours alone, without the rule of a program on the vehicle.
    private var hours: State
    /// The end of the last private time, and its time if it was known; nil if none has ended.
    private var privateEnd: PrivateEnd?

    private struct PrivateEnd: Equatable {
        var moment: ClockReading
        var time: Timestamp?
    }

    /// Creates a gate.
    /// - Parameters:
    ///   - schedule: the current schedule.
    ///   - state: the state at the end of the last run; open for the first run.
    ///   - isReplay: whether the clock readings are those of a capture, whose clocks repeat its dates.
    public init(schedule: TrackingSchedule, state: State = .open, isReplay: Bool = false) {
        self.schedule = schedule
        self.state = state
        hours = state
        evidence = DateEvidence(isReplay: isReplay)
    }

    // MARK: Time

    /// Adds the date that a receiver reported with a position to the evidence.
    public mutating func observe(_ fix: Fix) {
        evidence.observe(fix)
    }

    /// Forgets the time: the monotonic clock may have restarted.
    public mutating func handleRestart() {
        evidence.reset()
        privateEnd = nil
    }

    /// Returns the time of a clock reading: from the machine's clock if it is synchronised, else from receiver dates
    /// that agree with each other, else from the last synchronisation in this boot; nil if unknown.
    public func time(of moment: ClockReading) -> Timestamp? {
        evidence.time(of: moment)
    }

    /// Whether the time is known well enough for the schedule; private time needs more evidence.
    public func isTimeKnown(at moment: ClockReading) -> Bool {
        guard schedule.expression != nil else { return true }
        return schedule.hasPrivateTime ? !evidence.closingDates(at: moment).isEmpty : time(of: moment) != nil
    }

    /// Returns the time until the gate must be evaluated again, seconds, ≥ 0; nil if only an input can change it.
    public func secondsUntilDue(at moment: ClockReading) -> Double? {
        guard schedule.expression != nil else { return nil }
        // The clock of the machine may become right at any time, without an input.
        guard isTimeKnown(at: moment), let time = time(of: moment) else { return Self.unknownTimeRetrySeconds }
        let untilChange = nextChange.map { max($0.seconds(since: time), 0) }
        return [untilChange, secondsUntilDatesAgree(at: moment, time)].compactMap { $0 }.min()
    }

    /// Returns how long private time outlasts the schedule's opening because some dates lag behind others, seconds. If
    /// the dates are farther apart, waiting does not help; the next fixes decide.
    private func secondsUntilDatesAgree(at moment: ClockReading, _ time: Timestamp) -> Double? {
        guard schedule.hasPrivateHours, !hours.isOpen, schedule.isOpen(at: time),
            let dates = evidence.openingDates(at: moment), let earliest = dates.min(), let latest = dates.max(),
            latest.milliseconds(since: earliest) <= DateEvidence.toleranceMilliseconds
        else { return nil }
        return max(latest.seconds(since: earliest), 0.05)
    }

    /// Returns the next openings and closings; none if the time is unknown.
    public func nextChanges(_ count: Int, after moment: ClockReading) -> [Schedule.Change] {
        guard let expression = schedule.expression, let time = time(of: moment) else { return [] }
        return expression.nextChanges(count, after: time, in: schedule.zone)
    }

    /// Whether a position is of private time that has ended since: it was received before, or is as old. A receiver can
    /// lag, and a connection that was held up delivers old positions.
    /// - Parameter maximumAgeSeconds: the age from which the filter rejects a position by the machine's clock. An older
    ///   one shows that this clock is wrong.
    public func isOfEndedPrivateTime(_ fix: Fix, maximumAgeSeconds: Double) -> Bool {
        // The clocks of a replay are the dates of its positions, in any order.
        guard let privateEnd, !evidence.isReplay else { return false }
        let (received, end) = (fix.received.uptimeMilliseconds, privateEnd.moment.uptimeMilliseconds)
        if received < end { return true }
        if fix.received.isSystemTimeTrusted {
            // By the monotonic clock: the machine's clock may have been set since the end.
            let age = fix.received.systemTime.milliseconds(since: fix.timestamp)
            return (0...Int64(maximumAgeSeconds * 1000)).contains(age) && received - age < end
        }
        // By the receiver's dates before the end: old positions that arrive at once would give other ones.
        guard let time = privateEnd.time else { return false }
        return (1...Self.maximumAgeMilliseconds).contains(time.milliseconds(since: fix.timestamp))
    }

    // MARK: Changes

    /// Advances to a clock reading.
    /// - Returns: the changes since the last one, in their order.
    public mutating func advance(to moment: ClockReading) -> [Change] {
        evidence.observe(moment)
        guard let time = time(of: moment) else {
            lastEvaluation = nil
            nextChange = nil
            return updateState(isOpen: schedule.isOpen(at: nil), at: moment)
        }
        // If the time was unknown or runs backwards, the changes in between are unknown.
        guard let lastEvaluation, time >= lastEvaluation else { return evaluate(at: time, moment) }
        var changes: [Change] = []
        for _ in 0..<Self.maximumCatchUpChanges {
            guard let due = nextChange, due <= time else {
                // In private mode, new evidence for the date can also change the state.
                return schedule.hasPrivateTime
                    ? changes + updateState(isOpen: schedule.isOpen(at: time), at: moment) : changes
            }
            changes += evaluate(at: due, moment.advanced(byMilliseconds: due.milliseconds(since: time)))
        }
        return changes + evaluate(at: time, moment)
    }

    /// Replaces the schedule.
    /// - Returns: the changes.
    public mutating func apply(_ new: TrackingSchedule, at moment: ClockReading) -> [Change] {
        guard new != schedule else { return advance(to: moment) }
        schedule = new
        lastEvaluation = nil
        isOverridden = false
        return advance(to: moment)
    }

    /// Whether the hours alone close the schedule.
    public var isClosedByHours: Bool { !hours.isOpen }

    /// Whether ``setOverride(_:at:)`` has an effect. Only mode `stop` can be overridden: `tag` tracks in any case, and
    /// `private` is a promise to the driver.
    public var canBeOverridden: Bool {
        !hours.isOpen && schedule.offSchedule.mode == .stop && !schedule.isPrivateByProgram
    }

    /// Sets whether the embedding program tracks although the schedule is closed. Mode `stop` then becomes `tag` until
    /// the override ends or the schedule opens.
    public mutating func setOverride(_ wish: Bool, at moment: ClockReading) -> [Change] {
        guard canBeOverridden, wish != isOverridden else { return [] }
        isOverridden = wish
        return updateState(isOpen: false, at: moment)
    }

    private mutating func evaluate(at time: Timestamp, _ moment: ClockReading) -> [Change] {
        lastEvaluation = time
        nextChange = schedule.expression.flatMap { $0.nextChange(after: time, in: schedule.zone) }
        return updateState(isOpen: schedule.isOpen(at: time), at: moment)
    }

    private mutating func updateState(isOpen isOpenByTime: Bool, at moment: ClockReading) -> [Change] {
        let isOpen = isOpenByTime && (!schedule.hasPrivateHours || isCertainlyOpen(at: moment))
        if isOpen { isOverridden = false }
        var rule = schedule.offSchedule
        if isOverridden, rule.mode == .stop { rule.mode = .tag }
        hours = isOpen ? .open : .closed(rule)
        let new = schedule.state(of: hours)
        guard new != state else { return [] }
        if state.rule?.mode == .private, new.rule?.mode != .private {
            privateEnd = PrivateEnd(moment: moment, time: time(of: moment))
        }
        state = new
        return [Change(clockReading: moment, state: new)]
    }

    /// Whether the schedule is open at every date that counts. Ending private time needs certain dates; staying open
    /// needs dates without a contradiction.
    private func isCertainlyOpen(at moment: ClockReading) -> Bool {
        let dates = hours.isOpen ? evidence.closingDates(at: moment) : evidence.openingDates(at: moment) ?? []
        return !dates.isEmpty && dates.allSatisfy { schedule.isOpen(at: $0) }
    }
}

extension Timestamp {
    fileprivate func milliseconds(since other: Timestamp) -> Int64 {
        millisecondsSinceEpoch - other.millisecondsSinceEpoch
    }
}

extension ClockReading {
    /// Returns the reading with both clocks moved by a number of milliseconds.
    fileprivate func advanced(byMilliseconds milliseconds: Int64) -> ClockReading {
        ClockReading(
            systemTime: systemTime.advanced(byMilliseconds: milliseconds),
            uptimeMilliseconds: uptimeMilliseconds + milliseconds, isSystemTimeTrusted: isSystemTimeTrusted)
    }
}
