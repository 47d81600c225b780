import OdographCivilTime
import OdographModel
import OdographStore
import OdographTracking
import OdographWire

/// Restores the tracker from the state of the last run; ``Intake/load(_:geofences:at:uptimeMilliseconds:)`` executes
/// it.
///
/// A snapshot contains the whole tracker. If it is unreadable, the odometer continues from the journal, or from the
/// newest stored record. If it has another form, the journal is not read either. In every case the timeline continues
/// from the published events.
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
            case .undated, .tick, .source, .battery, .signals, .beacon, .configuration, .schedule, .positionRequest,
                .started:
                false
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
        let (saved, failure) = Self.read(stored.snapshot)
        self.saved = saved
        // The journal of another form is not read either.
        let entry = failure == .unreadable ? stored.lastJournalEntry : nil
        sourceOrdinal = saved?.sourceOrdinal ?? entry?.sourceOrdinal ?? 0
        let reading =
            entry.map { ($0.odometerMeters, $0.odometerErrorMeters) }
            ?? stored.lastLocation.map { ($0.odometer, $0.odometerError) }
        var known = saved?.tracker ?? Tracker(configuration: configuration, seed: (seed.high, seed.low))
        if failure != nil, let (meters, error) = reading {
            known.restoreOdometer(meters: meters, errorMeters: error, isPositionKnown: false)
        }
        tracker = known
        guard let failure, !stored.isEmpty else { return }
        loss = Loss(
            text: Self.message(for: failure, odometerOf: reading.map { _ in known }), isOdometerLost: reading == nil)
    }

    /// Reads a snapshot, or says why it cannot be read. A missing one is unreadable.
    private static func read(_ bytes: [UInt8]?) -> (StateSnapshot?, StateSnapshot.Failure?) {
        guard let bytes else { return (nil, .unreadable) }
        do throws(StateSnapshot.Failure) {
            return (try StateSnapshot(bytes: bytes), nil)
        } catch {
            return (nil, error)
        }
    }

    /// Replays the inputs since the snapshot, and continues from the published timeline.
    /// - Parameter now: The time; nil if it is not known. Everything that a lost state has published is older.
    /// - Returns: The outputs to record.
    package mutating func replayJournal(into tracker: inout Tracker, at now: Timestamp?) -> [TrackerOutput] {
        var quality: RecoveryQuality = saved == nil ? .incomplete : replayEntries(into: &tracker)
        var lastUpdate = stored.lastUpdate
        if stored.lostRecords > 0 {
            quality = .earlier(records: stored.lostRecords)
            lastUpdate = [lastUpdate, now].compactMap(\.self).max()
        }
        return tracker.resume(
            after: stored.publishedEvents, lastUpdate: lastUpdate, quality: quality, seed: (seed.high, seed.low))
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
        if let last, !areComplete {
            tracker.restoreOdometer(
                meters: last.odometerMeters, errorMeters: last.odometerErrorMeters, isPositionKnown: true)
        }
        if let record = stored.lastLocation, isNewer(record, than: tracker) {
            // This happens after salvage from a damaged database, if the journal has a hole.
            tracker.restoreOdometer(
                meters: record.odometer, errorMeters: record.odometerError, isPositionKnown: false)
            areComplete = false
        }
        guard !areComplete else { return .exact }
        loss = Loss(text: Self.lostInputsMessage, isOdometerLost: false)
        return .incomplete
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

    /// - Parameter tracker: The tracker with the last known reading of the odometer; nil for none.
    private static func message(for failure: StateSnapshot.Failure, odometerOf tracker: Tracker?) -> String {
        let cause =
            switch failure {
            case .otherForm(let form):
                "another version of the agent wrote the saved state (form \(form), this version reads "
                    + "\(StateSnapshot.form))"
            case .unreadable: "the saved state cannot be read"
            }
        guard let tracker else {
            return
                "\(cause); the timeline continues after the last published event, but the odometer starts at 0; set it "
                + "with `odograph odometer set`"
        }
        let (meters, error) = (
            tracker.odometerMeters.rounded(toDecimals: 1), tracker.odometerErrorMeters.rounded(toDecimals: 1)
        )
        return
            "\(cause); the timeline continues after the last published event, the odometer from the newest readable "
            + "record, \(meters) m ± \(error) m"
    }
}
