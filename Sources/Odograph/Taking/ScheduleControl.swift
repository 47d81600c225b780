import OdographCivilTime
import OdographCrontab
import OdographModel
import OdographTracking

/// The reported state of the schedule.
package struct ScheduleReport: Sendable {
    package var isWithin: Bool
    package var isTimeKnown: Bool
    package var nextChanges: [Schedule.Change]
    package var offSchedule: OffScheduleRule.Mode?
}

/// Decides at which times the schedule changes, and asks the embedding program; ``InputPipeline`` executes the
/// changes.
struct ScheduleControl {
    private let isReplay: Bool
    var gate: ScheduleGate
    /// Decides whether to track while the schedule is closed in mode `stop`.
    private(set) var shouldTrackOutsideSchedule: (@Sendable () -> Bool)?
    /// The time of the source's last event, in the source's time.
    private var lastSourceTime: ClockReading?

    init(_ schedule: TrackingSchedule, isReplay: Bool) {
        self.isReplay = isReplay
        gate = ScheduleGate(schedule: schedule, isReplay: isReplay)
    }

    /// Begins again with the state of a loaded tracker.
    mutating func restart(_ schedule: TrackingSchedule, state: ScheduleGate.State) {
        gate = ScheduleGate(schedule: schedule, state: state, isReplay: isReplay)
    }

    /// Returns the time to which the schedule advances before an input. nil if the input does not have its time.
    mutating func time(before input: TrackerInput) -> ClockReading? {
        switch input {
        case .fix, .source: lastSourceTime = input.clockReading
        // Until this input, the tracker's time is that of the last boot.
        case .started: return nil
        // A replay uses the source's time. These inputs have the machine's time.
        case .undated, .tick, .battery, .signals, .beacon, .configuration, .schedule, .odometer, .positionRequest:
            if isReplay { return nil }
        }
        return input.clockReading
    }

    /// Puts another schedule into force.
    mutating func apply(
        _ schedule: TrackingSchedule, state: ScheduleGate.State, now: ClockReading
    ) -> [ScheduleGate.Change] {
        guard let moment = isReplay ? lastSourceTime : now else {
            restart(schedule, state: state)
            return []
        }
        return gate.apply(schedule, at: moment)
    }

    /// Sets the function that decides whether to track while the schedule is closed. nil ends the override.
    mutating func setOverride(_ question: (@Sendable () -> Bool)?, now: ClockReading) -> [ScheduleGate.Change] {
        shouldTrackOutsideSchedule = question
        guard let moment = isReplay ? lastSourceTime : now else { return [] }
        return question == nil ? gate.setOverride(false, at: moment) : updateOverride(at: moment)
    }

    /// Asks whether to track while the schedule is closed.
    mutating func updateOverride(at moment: ClockReading) -> [ScheduleGate.Change] {
        guard gate.canBeOverridden, let question = shouldTrackOutsideSchedule else { return [] }
        return gate.setOverride(question(), at: moment)
    }

    /// Returns the state that the tracker has, and the next ten changes.
    func report(_ state: ScheduleGate.State, at moment: ClockReading) -> ScheduleReport {
        // The tag of a program does not close the schedule.
        let isTaggedByProgram = state.rule != nil && state.rule == gate.schedule.programRule && !gate.isClosedByHours
        let isWithin = state.isOpen || isTaggedByProgram && state.rule?.mode == .tag
        return ScheduleReport(
            isWithin: isWithin, isTimeKnown: gate.isTimeKnown(at: moment),
            nextChanges: gate.nextChanges(10, after: moment), offSchedule: isWithin ? nil : state.rule?.mode)
    }
}
