public import OdographTracking

/// A schedule gate with a tracker behind it, as the agent uses them.
public struct GatedTracker {
    /// The gate, which receives each input first.
    public private(set) var gate: ScheduleGate
    /// The tracker.
    public private(set) var tracker: Tracker

    /// - Parameter schedule: The tracking schedule, and the rule for positions outside it.
    public init(_ schedule: TrackingSchedule) {
        gate = ScheduleGate(schedule: schedule)
        tracker = Tracker(seed: (1, 2))
    }

    /// Returns the tracker's outputs for the schedule changes that are due, then for the input.
    public mutating func handle(_ input: TrackerInput) -> [TrackerOutput] {
        var outputs: [TrackerOutput] = []
        for change in gate.advance(to: input.clockReading) {
            outputs += tracker.handle(.schedule(change.state, at: change.clockReading))
        }
        return outputs + tracker.handle(input)
    }
}
