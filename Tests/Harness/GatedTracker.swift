public import Tracking

/// A gate and a tracker behind it, as the shell has them.
public struct GatedTracker {
    /// The gate, which is asked before each input.
    public private(set) var gate: ScheduleGate
    /// The tracker.
    public private(set) var tracker: Tracker

    /// - Parameter schedule: When tracking is on, and what becomes of positions in the other minutes.
    public init(_ schedule: TrackingSchedule) {
        gate = ScheduleGate(schedule: schedule)
        tracker = Tracker(seed: (1, 2))
    }

    /// Returns what the tracker emits for an input, and before it for the changes of the schedule that are due.
    public mutating func handle(_ input: TrackerInput) -> [TrackerOutput] {
        var outputs: [TrackerOutput] = []
        for change in gate.advance(to: input.clockReading) {
            outputs += tracker.handle(.schedule(change.state, at: change.clockReading))
        }
        return outputs + tracker.handle(input)
    }
}
