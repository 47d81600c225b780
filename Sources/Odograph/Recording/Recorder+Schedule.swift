import CivilTime
import Crontab
import Positioning
import Tracking
import Wire

/// Tells the tracker when the schedule opens and closes, and keeps its private time off the disk.
///
/// In mode `private` none of the tracker's inputs goes to the journal, and what is saved of it has no position in it.
extension Recorder {
    /// While private the state (the odometer, above all) is saved this often, milliseconds.
    private static let privateSaveMilliseconds: Int64 = 300_000

    /// Whether no position may leave the vehicle or reach its disk.
    var isPrivate: Bool { tracker.isPrivate }

    /// What the agent tells of its schedule.
    struct ScheduleReport: Sendable {
        var isWithin: Bool
        var isTimeKnown: Bool
        var nextChanges: [Schedule.Change]
        var offSchedule: OffScheduleRule.Mode?
    }

    /// The schedule's state and its next ten changes.
    var scheduleReport: ScheduleReport {
        let moment = now()
        return ScheduleReport(
            isWithin: tracker.schedule.isOpen,
            isTimeKnown: gate.schedule.expression == nil || gate.time(of: moment) != nil,
            nextChanges: gate.nextChanges(10, after: moment), offSchedule: tracker.schedule.rule?.mode)
    }

    /// Whether tracking is on by the schedule, at this moment.
    var isWithinSchedule: Bool { gate.schedule.isOpen(at: gate.time(of: now())) }

    // MARK: Inputs and outputs

    /// Lets the schedule's changes up to an input happen before it.
    func passSchedule(before input: TrackerInput) {
        if case .fix(let fix) = input { gate.observe(fix) }
        switch input {
        case .fix, .source: scheduleMoment = input.moment
        // The tracker's time is that of the last boot until it knows of this one.
        case .started: return
        // A replay's time is its source's: what others ask for comes with the machine's.
        default: if isTimeVirtual { return }
        }
        for change in gate.advance(to: input.moment) { pass(change) }
    }

    /// Saves the state without positions, now and then.
    func savePrivately() {
        let uptime = clock.now().uptimeMilliseconds
        if let last = privateSaveUptime, uptime - last < Self.privateSaveMilliseconds { return }
        privateSaveUptime = uptime
        ledger.wantsSnapshot = true
        commit()
    }

    // MARK: Changes

    /// Another schedule is in force from now on.
    func applySchedule(_ schedule: TrackingSchedule) {
        guard let moment = isTimeVirtual ? scheduleMoment : now() else {
            gate = ScheduleGate(schedule: schedule, state: tracker.schedule)
            return
        }
        for change in gate.apply(schedule, at: moment) { pass(change) }
    }

    /// Has somebody told of each change of the schedule.
    func observeSchedule(_ observer: @escaping @Sendable () -> Void) {
        scheduleChanged = observer
    }

    /// Has somebody asked, whenever the schedule closes, whether to track all the same.
    func askOutsideSchedule(_ question: (@Sendable () -> Bool)?) {
        shouldTrackOutsideSchedule = question
        considerOverruling(at: now())
        scheduleWakeUp()
    }

    private func pass(_ change: ScheduleGate.Change) {
        let wasOpen = tracker.schedule.isOpen
        handle(.schedule(change.state, at: change.moment))
        privateSaveUptime = clock.now().uptimeMilliseconds
        ledger.wantsSnapshot = true
        commit()
        if wasOpen { considerOverruling(at: change.moment) }
        scheduleChanged?()
    }

    private func considerOverruling(at moment: Moment) {
        guard tracker.schedule.rule?.mode == .stop, shouldTrackOutsideSchedule?() == true else { return }
        for change in gate.overrule(at: moment) { pass(change) }
    }

    /// How long until something falls due, seconds; nil for nothing.
    var secondsUntilDue: Double? {
        let moment = now()
        return [tracker.secondsUntilDue(at: moment), gate.secondsUntilDue(at: moment)].compactMap { $0 }.min()
    }
}
