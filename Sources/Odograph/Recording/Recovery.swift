import CivilTime
import Store
import Tracking
import Wire

/// What the next run makes of what the last one left: decided here, done by ``Recorder``.
///
/// The tracker is the whole one where the same version of the agent has saved it. After an update, or where the saved state is
/// damaged, it is made of the essentials; where not even these can be read, its odometer goes on from the journal, or from
/// the newest record that is still there. In any case it goes on from the timeline that was told.
package struct Recovery: ~Copyable {
    /// What was lost.
    package struct Loss: Hashable {
        /// A sentence about it.
        package var text: String
        /// Whether nobody knows what the odometer showed; anything else does not matter any more with the first position.
        package var isOdometerLost: Bool
    }

    /// What the store has.
    private let stored: PreviousRunState
    private let saved: StateSnapshot?
    private let seed: EpochIdentity.Seed
    /// The tracker as it was when it was saved whole; it is to be told of its geofences next.
    package let tracker: Tracker
    /// The source's last event that was dealt with; 0 for none.
    package private(set) var sourceOrdinal: Int64
    /// What was lost; nil for nothing.
    package private(set) var loss: Loss?

    /// - Parameters:
    ///   - stored: what the store has.
    ///   - configuration: what is in force.
    ///   - seed: 128 random bits that no tracker before had.
    package init(of stored: PreviousRunState, configuration: TrackingConfiguration, seed: EpochIdentity.Seed) {
        self.stored = stored
        self.seed = seed
        saved = stored.snapshot.flatMap { StateSnapshot(bytes: $0) }
        let entry = saved == nil ? stored.lastJournalEntry : nil
        sourceOrdinal = saved?.header.sourceOrdinal ?? entry?.sourceOrdinal ?? 0
        let essentials =
            saved?.header.essentials
            ?? entry.map {
                TrackerPersistentState(odometerMeters: $0.odometerMeters, odometerErrorMeters: $0.odometerErrorMeters)
            }
            ?? stored.lastLocation.map {
                TrackerPersistentState(odometerMeters: $0.odometer, odometerErrorMeters: $0.odometerError)
            }
        if let whole = saved?.tracker {
            tracker = whole
        } else if let essentials {
            tracker = Tracker(recovering: essentials, configuration: configuration, seed: (seed.high, seed.low))
        } else {
            tracker = Tracker(configuration: configuration, seed: (seed.high, seed.low))
        }
        guard saved?.tracker == nil, !stored.isEmpty else { return }
        loss = Loss(
            text: saved.map(Self.message) ?? Self.odometerMessage(for: essentials.map { _ in tracker }),
            isOdometerLost: essentials?.hasOdometer != true)
    }

    /// Handles what happened since the tracker was saved whole, and goes on from the timeline that was told.
    /// - Returns: what is to be recorded of it.
    package mutating func replayJournal(into tracker: inout Tracker) -> [TrackerOutput] {
        let quality = saved == nil ? .incomplete : replayEntries(into: &tracker)
        return tracker.resume(
            after: stored.publishedEvents, lastUpdate: stored.lastUpdate, quality: quality, seed: (seed.high, seed.low))
    }

    private mutating func replayEntries(into tracker: inout Tracker) -> RecoveryQuality {
        var last: InputJournalEntry?
        var areComplete = true
        for bytes in stored.journalEntries {
            let entry = try? InputJournalEntry(bytes: bytes)
            let inputs = entry?.inputs
            // What these inputs led to is in the store already.
            for input in inputs?.readable ?? [] { _ = tracker.handle(input) }
            // Of a damaged entry nothing else is believed; the way through it is the line, as through any gap.
            guard let entry, inputs?.areComplete == true else {
                areComplete = false
                continue
            }
            sourceOrdinal = entry.sourceOrdinal
            last = entry
        }
        if let last, !areComplete || saved?.tracker == nil {
            tracker.restoreOdometer(
                meters: last.odometerMeters, errorMeters: last.odometerErrorMeters, isPositionKnown: true)
        }
        if let record = stored.lastLocation, isNewer(record, than: tracker) {
            // Salvaged from a damaged database, with a hole in its journal.
            tracker.restoreOdometer(
                meters: record.odometer, errorMeters: record.odometerError, isPositionKnown: false)
            areComplete = false
        }
        if !areComplete, saved?.tracker != nil { loss = Loss(text: Self.lostInputsMessage, isOdometerLost: false) }
        return !areComplete ? .incomplete : saved?.tracker == nil ? .approximate : .exact
    }

    /// Whether more was told than the state knows of, and a location of then among it.
    private func isNewer(_ record: LocationEvent, than tracker: Tracker) -> Bool {
        guard let known = tracker.lastTimelineUpdate, let told = stored.lastUpdate else { return false }
        return told > known && record.timestamp > known && !tracker.isPrivate
    }

    // MARK: Sentences

    private static let lostInputsMessage =
        "a part of what was saved since the last whole state cannot be read: odometer and timeline go on from what was "
        + "told last"

    private static func message(for saved: StateSnapshot) -> String {
        let version = saved.header.version ?? Build.version
        let whose = version == Build.version ? "cannot be read whole" : "is of version \(version)"
        return
            "the saved state \(whose): odometer, timeline and schedule go on; only what the last minutes said of the "
            + "movement is learnt anew"
    }

    private static func odometerMessage(for tracker: Tracker?) -> String {
        guard let tracker else {
            return
                "the saved state cannot be read: the timeline goes on from what was told, but the odometer begins at 0; set "
                + "it with `odograph odometer set`"
        }
        let (meters, error) = (
            tracker.odometerMeters.rounded(toDecimals: 1), tracker.odometerErrorMeters.rounded(toDecimals: 1)
        )
        return
            "the saved state cannot be read: the timeline goes on from what was told, the odometer from the newest record "
            + "that can, \(meters) m ± \(error) m"
    }
}
