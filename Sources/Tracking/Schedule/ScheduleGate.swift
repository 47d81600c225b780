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
        public let moment: Moment
        /// What holds from then on.
        public let state: State
    }

    /// So many openings and closings are told one by one when time has leapt over them, then only the outcome is.
    private static let mostCaughtUp = 64
    /// While the time is not known, it is asked for this often, seconds.
    private static let unknownTimeSeconds = 10.0

    /// What is in force.
    public private(set) var schedule: TrackingSchedule
    /// What holds since the last change.
    public private(set) var state: State
    /// The next opening or closing; nil where there is none, or the time is not known.
    public private(set) var nextChange: Timestamp?

    /// The instant from which ``nextChange`` was computed; nil where nothing was yet.
    private var known: Timestamp?
    /// Receiver's time minus uptime, milliseconds: the time where the machine's clock is not set; nil before the first
    /// fix.
    private var receiverOffsetMilliseconds: Int64?
    /// Whether whoever embeds the agent wants to track off schedule this time.
    private var isOverruled = false

    /// - Parameters:
    ///   - schedule: what is in force.
    ///   - state: what held at the end of the last run; open for a first one.
    public init(schedule: TrackingSchedule, state: State = .open) {
        self.schedule = schedule
        self.state = state
    }

    // MARK: Time

    /// Learns the time from a position, for a machine whose own clock is not set.
    public mutating func observe(_ fix: Fix) {
        receiverOffsetMilliseconds = fix.timestamp.millisecondsSinceEpoch - fix.received.uptimeMilliseconds
    }

    /// The monotonic clock may have begun anew.
    public mutating func restarted() {
        receiverOffsetMilliseconds = nil
    }

    /// The time at a moment: the machine's where it is trusted, else the receiver's; nil where nobody knows it.
    public func time(of moment: Moment) -> Timestamp? {
        if moment.isSystemTimeTrusted { return moment.systemTime }
        return receiverOffsetMilliseconds.map {
            Timestamp(millisecondsSinceEpoch: moment.uptimeMilliseconds + $0)
        }
    }

    /// How long from a moment until the gate is to look again, seconds, ≥ 0; nil where nothing will change by itself.
    public func secondsUntilDue(at moment: Moment) -> Double? {
        guard schedule.expression != nil else { return nil }
        guard let time = time(of: moment) else { return Self.unknownTimeSeconds }
        guard let nextChange else { return nil }
        return max(nextChange.seconds(since: time), 0)
    }

    /// The next openings and closings; none where the time is not known.
    public func nextChanges(_ count: Int, after moment: Moment) -> [Schedule.Change] {
        guard let expression = schedule.expression, let time = time(of: moment) else { return [] }
        return expression.nextChanges(count, after: time, in: schedule.zone)
    }

    // MARK: Changes

    /// Time has come to a moment.
    /// - Returns: the changes since, in their order.
    public mutating func advance(to moment: Moment) -> [Change] {
        guard let time = time(of: moment) else {
            known = nil
            nextChange = nil
            return settle(isOpen: schedule.isOpen(at: nil), at: moment)
        }
        // Time that was not known, or that runs backwards, says nothing of changes on the way.
        guard let known, time >= known else { return look(at: time, moment) }
        var changes: [Change] = []
        for _ in 0..<Self.mostCaughtUp {
            guard let due = nextChange, due <= time else { return changes }
            changes += look(at: due, moment.moved(byMilliseconds: due.milliseconds(since: time)))
        }
        return changes + look(at: time, moment)
    }

    /// Another schedule is in force from a moment on.
    public mutating func apply(_ new: TrackingSchedule, at moment: Moment) -> [Change] {
        guard new != schedule else { return advance(to: moment) }
        schedule = new
        known = nil
        isOverruled = false
        return advance(to: moment)
    }

    /// Whether somebody may want to track although the schedule is closed. `tag` tracks anyhow, and `private` stays as
    /// it is, for it is a promise to the driver.
    public var mayBeOverruled: Bool { !state.isOpen && schedule.offSchedule.mode == .stop }

    /// Whoever embeds the agent wants to track although the schedule is closed, or no longer does: `stop` becomes `tag`
    /// until the wish ends or the schedule opens.
    public mutating func overrule(_ wish: Bool, at moment: Moment) -> [Change] {
        guard mayBeOverruled, wish != isOverruled else { return [] }
        isOverruled = wish
        return settle(isOpen: false, at: moment)
    }

    private mutating func look(at time: Timestamp, _ moment: Moment) -> [Change] {
        known = time
        nextChange = schedule.expression.flatMap { $0.nextChange(after: time, in: schedule.zone) }
        return settle(isOpen: schedule.isOpen(at: time), at: moment)
    }

    private mutating func settle(isOpen: Bool, at moment: Moment) -> [Change] {
        if isOpen { isOverruled = false }
        var rule = schedule.offSchedule
        if isOverruled, rule.mode == .stop { rule.mode = .tag }
        let new = isOpen ? State.open : .closed(rule)
        guard new != state else { return [] }
        state = new
        return [Change(moment: moment, state: new)]
    }
}

extension Timestamp {
    fileprivate func milliseconds(since other: Timestamp) -> Int64 {
        millisecondsSinceEpoch - other.millisecondsSinceEpoch
    }
}

extension Moment {
    /// The same two clocks, earlier or later.
    fileprivate func moved(byMilliseconds milliseconds: Int64) -> Moment {
        Moment(
            systemTime: systemTime.advanced(byMilliseconds: milliseconds),
            uptimeMilliseconds: uptimeMilliseconds + milliseconds, isSystemTimeTrusted: isSystemTimeTrusted)
    }
}
