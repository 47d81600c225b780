import OdographCivilTime
import OdographCrontab
import OdographModel
import OdographPositioning
import OdographTracking
import OdographWire

/// Passes schedule changes to the tracker, and keeps private time off the disk.
///
/// In mode `private` the journal gets no inputs, and snapshots contain no positions.
extension Recorder {
    /// Whether no position may leave the vehicle or reach its disk.
    package var isPrivate: Bool { tracker.isPrivate }

    /// The reported state of the schedule.
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

    /// Whether the schedule is open now.
    package var isWithinSchedule: Bool { !isPrivate && gate.schedule.isOpen(at: gate.time(of: now())) }

    // MARK: Inputs and outputs

    /// Applies the schedule changes that are due before an input.
    package func advanceSchedule(before input: TrackerInput) {
        switch input {
        case .fix, .source: lastSourceTime = input.clockReading
        // Until this input, the tracker's time is that of the last boot.
        case .started: return
        // A replay uses the source's time. Other inputs have the machine's time.
        default: if usesVirtualTime { return }
        }
        applyChanges(gate.advance(to: input.clockReading))
        updateOverride(at: input.clockReading)
    }

    /// Saves a snapshot without positions if it is due.
    package func savePrivateSnapshotIfDue() {
        let (uptime, meters) = (clock.now().uptimeMilliseconds, tracker.odometerMeters)
        guard privateSnapshotPolicy.isDue(uptimeMilliseconds: uptime, meters: meters, by: settings) else { return }
        privateSnapshotPolicy.markSaved(uptimeMilliseconds: uptime, meters: meters)
        pending.needsSnapshot = true
        commit()
    }

    // MARK: Changes

    /// Puts another schedule into force.
    package func applySchedule(_ schedule: TrackingSchedule) {
        guard let moment = usesVirtualTime ? lastSourceTime : now() else {
            gate = ScheduleGate(schedule: schedule, state: tracker.schedule, isReplay: usesVirtualTime)
            return
        }
        applyChanges(gate.apply(schedule, at: moment))
    }

    /// Sets the function that is called after each schedule change, and when the ledger changes.
    package func observeSchedule(_ observer: @escaping @Sendable () -> Void) {
        onReportChange = observer
    }

    /// Sets the function that decides whether to track while the schedule is closed.
    package func setOffScheduleOverride(_ question: (@Sendable () -> Bool)?) {
        shouldTrackOutsideSchedule = question
        guard let moment = usesVirtualTime ? lastSourceTime : now() else { return }
        if question == nil { for change in gate.setOverride(false, at: moment) { applyChange(change) } }
        updateOverride(at: moment)
        scheduleWakeUp()
    }

    private func applyChanges(_ changes: [ScheduleGate.Change]) {
        for change in changes { applyChange(change) }
        // Called at the instant of the change, so that a `true` leaves no gap in the tracking.
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

    /// The time until the tracker, the schedule or the clock check needs the time, seconds. nil if none does.
    package var secondsUntilDue: Double? {
        let moment = now()
        return [
            tracker.secondsUntilDue(at: moment), gate.secondsUntilDue(at: moment), secondsUntilClockPoll,
        ].compactMap { $0 }.min()
    }
}
