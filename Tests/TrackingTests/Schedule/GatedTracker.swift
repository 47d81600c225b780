@testable import Tracking

/// A gate and a tracker behind it, as the shell has them.
struct GatedTracker {
    var gate: ScheduleGate
    var tracker = Tracker(seed: (1, 2))

    init(_ schedule: TrackingSchedule) { gate = ScheduleGate(schedule: schedule) }

    mutating func handle(_ input: TrackerInput) -> [TrackerOutput] {
        var outputs: [TrackerOutput] = []
        for change in gate.advance(to: input.moment) {
            outputs += tracker.handle(.schedule(change.state, at: change.moment))
        }
        return outputs + tracker.handle(input)
    }
}
