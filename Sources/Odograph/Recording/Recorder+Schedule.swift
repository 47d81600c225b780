import CivilTime
import Crontab
import Positioning
import Tracking
import Wire

/// Tells the tracker when the schedule opens and closes, and keeps its private time off the disk.
///
/// In mode `private` none of the tracker's inputs goes to the journal, and what is saved of it has no position in it.
extension Recorder {
    /// Whether no position may leave the vehicle or reach its disk.
    package var isPrivate: Bool { tracker.isPrivate }

    /// What the agent tells of its schedule.
    package struct ScheduleReport: Sendable {
        package var isWithin: Bool
        package var isTimeKnown: Bool
        package var nextChanges: [Schedule.Change]
        package var offSchedule: OffScheduleRule.Mode?
    }

    /// The schedule's state and its next ten changes.
    package var scheduleReport: ScheduleReport {
        let moment = now()
        return ScheduleReport(
            isWithin: tracker.schedule.isOpen,
            isTimeKnown: gate.isTimeKnown(at: moment),
            nextChanges: gate.nextChanges(10, after: moment), offSchedule: tracker.schedule.rule?.mode)
    }

    /// Whether tracking is on by the schedule, at this moment.
    package var isWithinSchedule: Bool { !isPrivate && gate.schedule.isOpen(at: gate.time(of: now())) }

    // MARK: Inputs and outputs

    /// Lets the schedule's changes up to an input happen before it.
    package func advanceSchedule(before input: TrackerInput) {
        switch input {
        case .fix, .source: lastSourceTime = input.clockReading
        // The tracker's time is that of the last boot until it knows of this one.
        case .started: return
        // A replay's time is its source's: what others ask for comes with the machine's.
        default: if usesVirtualTime { return }
        }
        applyChanges(gate.advance(to: input.clockReading))
        updateOverride(at: input.clockReading)
    }

    /// Saves the state without positions, if it is time.
    package func savePrivateSnapshotIfDue() {
        let (uptime, meters) = (clock.now().uptimeMilliseconds, tracker.odometerMeters)
        guard privateSnapshotPolicy.isDue(uptimeMilliseconds: uptime, meters: meters, by: settings) else { return }
        privateSnapshotPolicy.markSaved(uptimeMilliseconds: uptime, meters: meters)
        pending.needsSnapshot = true
        commit()
    }

    // MARK: Changes

    /// Another schedule is in force from now on.
    package func applySchedule(_ schedule: TrackingSchedule) {
        guard let moment = usesVirtualTime ? lastSourceTime : now() else {
            gate = ScheduleGate(schedule: schedule, state: tracker.schedule, isReplay: usesVirtualTime)
            return
        }
        applyChanges(gate.apply(schedule, at: moment))
    }

    /// Has somebody told of each change of the schedule.
    package func observeSchedule(_ observer: @escaping @Sendable () -> Void) {
        onReportChange = observer
    }

    /// Has somebody asked, while the schedule is closed, whether to track all the same.
    package func setOffScheduleOverride(_ question: (@Sendable () -> Bool)?) {
        shouldTrackOutsideSchedule = question
        guard let moment = usesVirtualTime ? lastSourceTime : now() else { return }
        if question == nil { for change in gate.setOverride(false, at: moment) { applyChange(change) } }
        updateOverride(at: moment)
        scheduleWakeUp()
    }

    private func applyChanges(_ changes: [ScheduleGate.Change]) {
        for change in changes { applyChange(change) }
        // Asked at the very instant: where the answer is yes, there is no time between that nobody speaks for.
        if let last = changes.last { updateOverride(at: last.clockReading) }
    }

    private func applyChange(_ change: ScheduleGate.Change) {
        handle(.schedule(change.state, at: change.clockReading))
        privateSnapshotPolicy.markSaved(
            uptimeMilliseconds: clock.now().uptimeMilliseconds, meters: tracker.odometerMeters)
        pending.needsSnapshot = true
        commit()
        onReportChange?()
    }

    private func updateOverride(at moment: ClockReading) {
        guard gate.canBeOverridden, let question = shouldTrackOutsideSchedule else { return }
        for change in gate.setOverride(question(), at: moment) { applyChange(change) }
    }

    /// How long until something falls due, seconds; nil for nothing.
    package var secondsUntilDue: Double? {
        let moment = now()
        return [
            tracker.secondsUntilDue(at: moment), gate.secondsUntilDue(at: moment), secondsUntilClockPoll,
        ].compactMap { $0 }.min()
    }
}
