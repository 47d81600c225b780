import CivilTime
import Store
import Tracking
import Wire

/// What the next run makes of what the last one left: decided here, done by ``Recorder``.
///
/// The tracker is the whole one where the same version of the agent has saved it. After an update, or where the saved state is
/// damaged, it is made of the essentials; where not even these can be read, of the newest record that is still there. In any
/// case it goes on from the timeline that was told.
struct Restoration {
    /// What was lost.
    struct Loss: Hashable {
        /// A sentence about it.
        var text: String
        /// Whether nobody knows what the odometer showed; anything else does not matter any more with the first position.
        var isOfOdometer: Bool
    }

    /// What the store has.
    private let stored: StoredState
    private let saved: SavedState?
    private let seed: RecordIdentities.Seed
    /// The tracker as it was when it was saved whole; it is to be told of its geofences next.
    let tracker: Tracker
    /// The source's last event that was dealt with; 0 for none.
    private(set) var sourceOrdinal: Int64
    /// What was lost; nil for nothing.
    private(set) var loss: Loss?

    /// - Parameters:
    ///   - stored: what the store has.
    ///   - configuration: what is in force.
    ///   - seed: 128 random bits that no tracker before had.
    init(of stored: StoredState, configuration: TrackingConfiguration, seed: RecordIdentities.Seed) {
        self.stored = stored
        self.seed = seed
        saved = stored.snapshot.flatMap { SavedState(bytes: $0) }
        sourceOrdinal = saved?.head.sourceOrdinal ?? 0
        let essentials = saved?.head.essentials ?? stored.lastRecord
        if let whole = saved?.tracker {
            tracker = whole
        } else if let essentials {
            tracker = Tracker(recovering: essentials, configuration: configuration, seed: (seed.high, seed.low))
        } else {
            tracker = Tracker(configuration: configuration, seed: (seed.high, seed.low))
        }
        guard saved?.tracker == nil, !stored.isEmpty else { return }
        loss = Loss(
            text: saved.map(Self.sentence) ?? Self.sentence(ofOdometer: essentials.map { _ in tracker }),
            isOfOdometer: essentials?.hasOdometer != true)
    }

    /// Handles what happened since the tracker was saved whole, and goes on from the timeline that was told.
    /// - Returns: what is to be recorded of it.
    mutating func goOn(_ tracker: inout Tracker) -> [TrackerOutput] {
        guard let saved else { return resume(&tracker, .incomplete) }
        var areComplete = true
        var last: JournalEntry?
        for bytes in stored.journals {
            guard let entry = try? JournalEntry(bytes: bytes) else {
                areComplete = false
                continue
            }
            let inputs = entry.inputs
            // What these inputs led to is in the store already.
            for input in inputs.readable { _ = tracker.handle(input) }
            areComplete = areComplete && inputs.areComplete
            sourceOrdinal = entry.sourceOrdinal
            last = entry
        }
        let quality: StateQuality = !areComplete ? .incomplete : saved.tracker == nil ? .recovered : .exact
        if let last, quality != .exact {
            tracker.believeOdometer(of: last, isPlaceKnown: last.inputs.areComplete)
        }
        if !areComplete, saved.tracker != nil { loss = Loss(text: Self.lostInputs, isOfOdometer: false) }
        return resume(&tracker, quality)
    }

    private func resume(_ tracker: inout Tracker, _ quality: StateQuality) -> [TrackerOutput] {
        tracker.resume(
            after: stored.told, lastUpdate: stored.lastUpdate, quality: quality, seed: (seed.high, seed.low))
    }

    // MARK: Sentences

    private static let lostInputs =
        "a part of what was saved since the last whole state cannot be read: odometer and timeline go on from what was "
        + "told last"

    private static func sentence(of saved: SavedState) -> String {
        let version = saved.head.version ?? Build.version
        let whose = version == Build.version ? "cannot be read whole" : "is of version \(version)"
        return
            "the saved state \(whose): odometer, timeline and schedule go on; only what the last minutes said of the "
            + "movement is learnt anew"
    }

    private static func sentence(ofOdometer tracker: Tracker?) -> String {
        guard let tracker else {
            return
                "the saved state cannot be read: the timeline goes on from what was told, but the odometer begins at 0; set "
                + "it with `odograph odometer set`"
        }
        let (meters, error) = (tracker.odometerMeters.rounded(), tracker.odometerErrorMeters.rounded(.up))
        return
            "the saved state cannot be read: the timeline goes on from what was told, the odometer from the newest record "
            + "that was not delivered, \(Int64(meters)) m ± \(Int64(error)) m"
    }
}

/// What a store has of the last run.
struct StoredState: Sendable {
    /// The state as it was last saved whole; nil where it never was.
    var snapshot: [UInt8]?
    /// The inputs since.
    var journals: [[UInt8]]
    /// The newest revision of each event of the timeline that is told to last.
    var told: [TimelineEvent]
    /// The latest update that was told of any event.
    var lastUpdate: Timestamp?
    /// What the newest location that is still there says of the odometer.
    var lastRecord: TrackerEssentials?
    /// Whether nothing was ever recorded.
    var isEmpty: Bool

    /// - Throws: `StoreError`.
    init(_ store: isolated AgentStore) throws {
        (snapshot, journals) = try store.restore()
        let lasting = try store.lastingTimeline()
        told = lasting.payloads.compactMap {
            (try? JSONText.decode(TimelineMessage.self, from: $0)).flatMap { TimelineEvent($0.timelineEvent) }
        }
        lastUpdate = lasting.lastUpdate
        let (first, last) = (Timestamp(millisecondsSinceEpoch: .min), Timestamp(millisecondsSinceEpoch: .max))
        lastRecord = try store.locations(from: first, to: last, limit: 1).last.flatMap {
            (try? JSONText.decode(LocationMessage.self, from: $0)).map {
                TrackerEssentials(
                    odometerMeters: $0.location.odometer, odometerErrorMeters: $0.location.odometerError)
            }
        }
        isEmpty = try snapshot == nil && lastUpdate == nil && store.statistics().newestSeq == 0
    }
}
