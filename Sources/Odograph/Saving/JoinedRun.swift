import OdographModel
import OdographTracking

/// The facts about a run in memory that are necessary to join it with an earlier run, see ``JoinedRun``.
struct MemoryRun: Equatable {
    /// The first accepted fix while the records were in memory. nil if there is none.
    private(set) var firstFix: Fix?
    /// Whether the odometer was set while the records were in memory.
    private(set) var isOdometerSet = false

    mutating func observe(_ input: TrackerInput, by tracker: Tracker) {
        switch input {
        case .fix(let fix): if firstFix == nil, tracker.hasAccepted(fix) { firstFix = fix }
        case .odometer: isOdometerSet = true
        case .undated, .tick, .source, .battery, .signals, .beacon, .configuration, .schedule, .positionRequest,
            .started:
            break
        }
    }
}

/// The state of a run in memory joined with that of an earlier run, whose file became usable.
struct JoinedRun: ~Copyable {
    let tracker: Tracker
    /// The outputs to record. The earlier run published those of its journal; these end its last events.
    let outputs: [TrackerOutput]
    /// The lost part of the earlier run's state.
    let loss: Recovery.Loss?
    /// Whether the run in memory has measured nothing. The pipeline then continues from the earlier run, as after any
    /// start.
    let isEarlierOnly: Bool

    init(
        _ tracker: Tracker, in memory: MemoryRun, after earlier: PreviousRunState, configuration: TrackingConfiguration
    ) {
        var recovery = Recovery(of: earlier, configuration: configuration, seed: .random())
        var before = recovery.tracker
        // The run in memory ends the events of the earlier one.
        _ = recovery.replayJournal(into: &before, at: nil)
        loss = recovery.loss
        isEarlierOnly =
            !tracker.hasPosition && !tracker.hasUndatedFixes && tracker.lastTimelineUpdate == nil
            && !memory.isOdometerSet
        guard !isEarlierOnly else {
            (self.tracker, outputs) = (before, [])
            return
        }
        var merged = tracker
        outputs = merged.prepend(
            before, firstFix: memory.firstFix, isOdometerSet: memory.isOdometerSet,
            published: earlier.publishedEvents.map { event in
                var later = event
                later.revision += earlier.lostRecords
                return later
            },
            lastUpdate: earlier.lastUpdate)
        self.tracker = merged
    }
}
