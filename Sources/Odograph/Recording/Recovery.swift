import OdographCivilTime
import OdographModel
import OdographStore
import OdographTracking
import OdographWire

/// Restores the tracker from the state of the last run; ``Intake/load(_:geofences:uptimeMilliseconds:)`` executes it.
///
/// A snapshot contains the whole tracker. Parts of another form are left out. If the snapshot is unreadable, the
/// odometer continues from the journal, or from the newest stored record. In every case the timeline continues from the
/// published events.
package struct Recovery: ~Copyable {
    /// The lost part of the state.
    package struct Loss: Hashable {
        package var text: String
        /// Whether the odometer's value is unknown. Any other loss no longer matters after the first position.
        package var isOdometerLost: Bool

        /// Returns whether the loss no longer matters: after a new position, or after the odometer was set.
        func isResolved(by input: TrackerInput, _ tracker: Tracker) -> Bool {
            switch input {
            case .odometer: true
            case .fix(let fix): !isOdometerLost && tracker.hasAccepted(fix)
            default: false
            }
        }
    }

    private let stored: PreviousRunState
    private let saved: StateSnapshot?
    private let seed: EpochIdentity.Seed
    /// The tracker of the snapshot. Its geofences must be restored before the journal is replayed.
    package let tracker: Tracker
    /// The ordinal of the source's last handled event. 0 if there is none.
    package private(set) var sourceOrdinal: Int64
    /// The lost part of the state. nil if there is none.
    package private(set) var loss: Loss?

    /// - Parameter seed: 128 random bits that no earlier tracker used.
    package init(of stored: PreviousRunState, configuration: TrackingConfiguration, seed: EpochIdentity.Seed) {
        self.stored = stored
        self.seed = seed
        saved = stored.snapshot.flatMap {
            StateSnapshot(bytes: $0, configuration: configuration, seed: (seed.high, seed.low))
        }
        let entry = saved == nil ? stored.lastJournalEntry : nil
        sourceOrdinal = saved?.sourceOrdinal ?? entry?.sourceOrdinal ?? 0
        let reading =
            entry.map { ($0.odometerMeters, $0.odometerErrorMeters) }
            ?? stored.lastLocation.map { ($0.odometer, $0.odometerError) }
        var known = saved?.tracker ?? Tracker(configuration: configuration, seed: (seed.high, seed.low))
        if saved == nil, let (meters, error) = reading {
            known.restoreOdometer(meters: meters, errorMeters: error, isPositionKnown: false)
        }
        tracker = known
        guard saved?.isWhole != true, !stored.isEmpty else { return }
        loss = Loss(
            text: saved.map(Self.message) ?? Self.odometerMessage(for: reading.map { _ in known }),
            isOdometerLost: saved == nil && reading == nil)
    }

    /// Replays the inputs since the snapshot, and continues from the published timeline.
    /// - Returns: The outputs to record.
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
            // The store already contains the outputs of these inputs.
            for input in inputs?.readable ?? [] { _ = tracker.handle(input) }
            // No other field of a damaged entry is used. The distance is a straight line, as across any gap.
            guard let entry, inputs?.areComplete == true else {
                areComplete = false
                continue
            }
            sourceOrdinal = entry.sourceOrdinal
            last = entry
        }
        if let last, !areComplete || saved?.isWhole != true {
            tracker.restoreOdometer(
                meters: last.odometerMeters, errorMeters: last.odometerErrorMeters, isPositionKnown: true)
        }
        if let record = stored.lastLocation, isNewer(record, than: tracker) {
            // This happens after salvage from a damaged database, if the journal has a hole.
            tracker.restoreOdometer(
                meters: record.odometer, errorMeters: record.odometerError, isPositionKnown: false)
            areComplete = false
        }
        if !areComplete, saved?.isWhole == true { loss = Loss(text: Self.lostInputsMessage, isOdometerLost: false) }
        return !areComplete ? .incomplete : saved?.isWhole == true ? .exact : .approximate
    }

    /// Returns whether later events than the state contains were published, and the location is one of them.
    private func isNewer(_ record: LocationEvent, than tracker: Tracker) -> Bool {
        guard let known = tracker.lastTimelineUpdate, let told = stored.lastUpdate else { return false }
        return told > known && record.timestamp > known && !tracker.isPrivate
    }

    // MARK: Sentences

    private static let lostInputsMessage =
        "a part of the journal since the last saved state cannot be read; odometer and timeline continue from the last "
        + "record"

    private static func message(for saved: StateSnapshot) -> String {
        let version = saved.version ?? Build.version
        let whose = version == Build.version ? "cannot be read completely" : "is of version \(version)"
        return
            "the saved state \(whose); odometer, timeline and schedule continue; only the movement of the last minutes "
            + "is lost"
    }

    private static func odometerMessage(for tracker: Tracker?) -> String {
        guard let tracker else {
            return
                "the saved state cannot be read; the timeline continues after the last published event, but the "
                + "odometer starts at 0; set it with `odograph odometer set`"
        }
        let (meters, error) = (
            tracker.odometerMeters.rounded(toDecimals: 1), tracker.odometerErrorMeters.rounded(toDecimals: 1)
        )
        return
            "the saved state cannot be read; the timeline continues after the last published event, the odometer from "
            + "the newest readable record, \(meters) m ± \(error) m"
    }
}
