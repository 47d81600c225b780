import CivilTime
import Crontab

/// Decides whether tracking is on: the schedule, held against what is known of the time.
///
/// A value that reads no clock: the same moments in the same order give the same changes. Each change comes with its own
/// instant, however late it is noticed, so that a machine that slept, or a replay that jumps, tells of the same ones.
public struct ScheduleGate: Equatable, Sendable {
    /// Whether tracking is on.
    public enum State: Hashable, Sendable, Codable {
        /// On.
        case open
        /// Off, and what that means.
        case closed(OffScheduleRule)

        /// Whether tracking is on by the schedule.
        public var isOpen: Bool { self == .open }

        /// What being off means; nil where it is on.
        public var rule: OffScheduleRule? {
            if case .closed(let rule) = self { rule } else { nil }
        }
    }

    /// From one state to another.
    public struct Change: Hashable, Sendable {
        /// When.
        public let clockReading: ClockReading
        /// What holds from then on.
        public let state: State
    }

    /// So many openings and closings are told one by one when time has leapt over them, then only the outcome is.
    private static let maximumCatchUpChanges = 64
    /// While the time is not known, it is asked for this often, seconds.
    private static let unknownTimeRetrySeconds = 10.0

    /// What is in force.
    public private(set) var schedule: TrackingSchedule
    /// What holds since the last change.
    public private(set) var state: State
    /// The next opening or closing; nil where there is none, or the time is not known.
    public private(set) var nextChange: Timestamp?

    /// The instant from which ``nextChange`` was computed; nil where nothing was yet.
    private var lastEvaluation: Timestamp?
    /// Which dates are credible.
    private var evidence: DateEvidence
    /// Whether whoever embeds the agent wants to track off schedule this time.
    private var isOverridden = false

    /// - Parameters:
    ///   - schedule: what is in force.
    ///   - state: what held at the end of the last run; open for a first one.
    ///   - isReplay: whether the moments are those of a capture, whose clocks repeat its dates.
    public init(schedule: TrackingSchedule, state: State = .open, isReplay: Bool = false) {
        self.schedule = schedule
        self.state = state
        evidence = DateEvidence(isReplay: isReplay)
    }

    // MARK: Time

    /// Notes the date that a receiver reported with a position.
    public mutating func observe(_ fix: Fix) {
        evidence.observe(fix)
    }

    /// Forgets what time it is: the monotonic clock may have begun anew.
    public mutating func handleRestart() {
        evidence.reset()
    }

    /// The time at a moment: the machine's if it is synchronised, else that of receiver dates that agree with each other;
    /// nil while neither is known.
    public func time(of moment: ClockReading) -> Timestamp? {
        evidence.time(of: moment)
    }

    /// Whether the time of a moment is known as well as the schedule needs it: better for private time than for other.
    public func isTimeKnown(at moment: ClockReading) -> Bool {
        guard schedule.expression != nil else { return true }
        return schedule.hasPrivateTime ? !evidence.closingDates(at: moment).isEmpty : time(of: moment) != nil
    }

    /// How long from a moment until the gate is to look again, seconds, ≥ 0; nil where nothing will change by itself.
    public func secondsUntilDue(at moment: ClockReading) -> Double? {
        guard schedule.expression != nil else { return nil }
        guard let time = time(of: moment) else { return Self.unknownTimeRetrySeconds }
        let untilChange = nextChange.map { max($0.seconds(since: time), 0) }
        return [untilChange, secondsUntilDatesAgree(at: moment, time)].compactMap { $0 }.min()
    }

    /// How long private time outlasts the schedule's opening because some dates lag behind others, seconds. Dates that are
    /// farther apart do not come together by waiting; the next fixes decide.
    private func secondsUntilDatesAgree(at moment: ClockReading, _ time: Timestamp) -> Double? {
        guard schedule.hasPrivateTime, !state.isOpen, schedule.isOpen(at: time),
            let dates = evidence.openingDates(at: moment), let earliest = dates.min(), let latest = dates.max(),
            latest.milliseconds(since: earliest) <= DateEvidence.toleranceMilliseconds
        else { return nil }
        return max(latest.seconds(since: earliest), 0.05)
    }

    /// The next openings and closings; none where the time is not known.
    public func nextChanges(_ count: Int, after moment: ClockReading) -> [Schedule.Change] {
        guard let expression = schedule.expression, let time = time(of: moment) else { return [] }
        return expression.nextChanges(count, after: time, in: schedule.zone)
    }

    // MARK: Changes

    /// Time has come to a moment.
    /// - Returns: the changes since, in their order.
    public mutating func advance(to moment: ClockReading) -> [Change] {
        evidence.observe(moment)
        guard let time = time(of: moment) else {
            lastEvaluation = nil
            nextChange = nil
            return updateState(isOpen: schedule.isOpen(at: nil), at: moment)
        }
        // Time that was not known, or that runs backwards, says nothing of changes on the way.
        guard let lastEvaluation, time >= lastEvaluation else { return evaluate(at: time, moment) }
        var changes: [Change] = []
        for _ in 0..<Self.maximumCatchUpChanges {
            guard let due = nextChange, due <= time else {
                // Private time also begins and ends as the evidence for the date changes.
                return schedule.hasPrivateTime
                    ? changes + updateState(isOpen: schedule.isOpen(at: time), at: moment) : changes
            }
            changes += evaluate(at: due, moment.advanced(byMilliseconds: due.milliseconds(since: time)))
        }
        return changes + evaluate(at: time, moment)
    }

    /// Another schedule is in force from a moment on.
    public mutating func apply(_ new: TrackingSchedule, at moment: ClockReading) -> [Change] {
        guard new != schedule else { return advance(to: moment) }
        schedule = new
        lastEvaluation = nil
        isOverridden = false
        return advance(to: moment)
    }

    /// Whether somebody may want to track although the schedule is closed. `tag` tracks anyhow, and `private` stays as
    /// it is, for it is a promise to the driver.
    public var canBeOverridden: Bool { !state.isOpen && schedule.offSchedule.mode == .stop }

    /// Whoever embeds the agent wants to track although the schedule is closed, or no longer does: `stop` becomes `tag`
    /// until the wish ends or the schedule opens.
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
        let isOpen = isOpenByTime && (!schedule.hasPrivateTime || isCertainlyOpen(at: moment))
        if isOpen { isOverridden = false }
        var rule = schedule.offSchedule
        if isOverridden, rule.mode == .stop { rule.mode = .tag }
        let new = isOpen ? State.open : .closed(rule)
        guard new != state else { return [] }
        state = new
        return [Change(clockReading: moment, state: new)]
    }

    /// Whether the schedule is open by every date that counts: to end private time the dates must be certain, to go on in the
    /// open none may contradict.
    private func isCertainlyOpen(at moment: ClockReading) -> Bool {
        let dates = state.isOpen ? evidence.closingDates(at: moment) : evidence.openingDates(at: moment) ?? []
        return !dates.isEmpty && dates.allSatisfy { schedule.isOpen(at: $0) }
    }
}

extension Timestamp {
    fileprivate func milliseconds(since other: Timestamp) -> Int64 {
        millisecondsSinceEpoch - other.millisecondsSinceEpoch
    }
}

extension ClockReading {
    /// The same two clocks, earlier or later.
    fileprivate func advanced(byMilliseconds milliseconds: Int64) -> ClockReading {
        ClockReading(
            systemTime: systemTime.advanced(byMilliseconds: milliseconds),
            uptimeMilliseconds: uptimeMilliseconds + milliseconds, isSystemTimeTrusted: isSystemTimeTrusted)
    }
}
