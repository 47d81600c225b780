import CivilTime
import Crontab
import Positioning
import Tracking
import Wire

/// What the schedule makes of the tracker's inputs and outputs.
///
/// In mode `private` the tracker lives on in memory only: none of its inputs goes to the journal, what is saved of it has
/// no positions in it, and none of its records is committed. Once the schedule opens it begins anew at the first
/// position, so that nothing of the private time is told afterwards either.
extension Recorder {
    /// While private the state (the odometer, above all) is saved this often, milliseconds.
    private static let privateSaveMilliseconds: Int64 = 300_000

    /// Whether no position may leave the vehicle or reach its disk.
    var isPrivate: Bool { inForce.rule?.mode == .private }

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
            isWithin: inForce.isOpen, isTimeKnown: gate.schedule.expression == nil || gate.time(of: moment) != nil,
            nextChanges: gate.nextChanges(10, after: moment), offSchedule: inForce.rule?.mode)
    }

    /// Whether tracking is on by the schedule, at this moment.
    var isWithinSchedule: Bool { gate.schedule.isOpen(at: gate.time(of: now())) }

    // MARK: Inputs and outputs

    /// Lets the schedule's changes up to an input happen before it.
    func passSchedule(before input: TrackerInput) {
        if case .fix(let fix) = input { gate.observe(fix) }
        switch input {
        case .fix, .source: scheduleMoment = input.moment
        // A replay's time is its source's: what others ask for comes with the machine's.
        default: if isTimeVirtual { return }
        }
        for change in gate.advance(to: input.moment) { pass(change) }
    }

    /// Whether the tracker is to have an input.
    func isWanted(_ input: TrackerInput) -> Bool {
        switch (input, inForce.rule?.mode) {
        case (.fix, .stop?), (.positionRequest, .stop?), (.positionRequest, .private?): false
        default: true
        }
    }

    /// A location as the schedule lets it be told; nil where it does not.
    func marked(_ location: TrackedLocation, isRecord: Bool = false) -> TrackedLocation? {
        var location = location
        switch inForce {
        case .open: break
        case .closed(let rule):
            guard rule.mode == .tag else { return nil }
            location.tag = rule.tag
        }
        if isRecord, owesOpening {
            owesOpening = false
            location.cause = .schedule
        }
        return location
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

    /// Goes on with what held at the end of the last run.
    func resume(_ state: ScheduleGate.State) {
        inForce = state
        gate = ScheduleGate(schedule: settings.schedule, state: state)
    }

    /// Another schedule is in force from now on.
    func applySchedule(_ schedule: TrackingSchedule) {
        guard let moment = isTimeVirtual ? scheduleMoment : now() else {
            gate = ScheduleGate(schedule: schedule, state: inForce)
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
        // What fell due before is the old state's.
        handle(.tick(change.moment))
        let old = inForce
        let wasPrivate = isPrivate
        let isTurn = old.isOpen != change.state.isOpen
        if isTurn, !wasPrivate { recordTurn(at: change.moment) }
        inForce = change.state
        if wasPrivate, !isPrivate {
            tracker = tracker.withoutPositions(at: change.moment)
            owesOpening = inForce.isOpen
        }
        if isPrivate, !wasPrivate { privateSaveUptime = clock.now().uptimeMilliseconds }
        source?.wish(inForce.rule?.mode == .stop ? .down : .up)
        ledger.wantsSnapshot = true
        commit()
        if isTurn, !inForce.isOpen { considerOverruling(at: change.moment) }
        scheduleChanged?()
    }

    private func considerOverruling(at moment: Moment) {
        guard inForce.rule?.mode == .stop, shouldTrackOutsideSchedule?() == true else { return }
        for change in gate.overrule(at: moment) { pass(change) }
    }

    /// Records where the vehicle is as the schedule opens or closes, if that is known.
    private func recordTurn(at moment: Moment) {
        guard var location = tracker.currentLocation(at: moment) else { return }
        location.cause = .schedule
        ledger.add(location, uptimeMilliseconds: clock.now().uptimeMilliseconds)
    }

    /// How long until something falls due, seconds; nil for nothing.
    var secondsUntilDue: Double? {
        let moment = now()
        return [tracker.secondsUntilDue(at: moment), gate.secondsUntilDue(at: moment)].compactMap { $0 }.min()
    }
}
