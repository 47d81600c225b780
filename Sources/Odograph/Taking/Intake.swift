import OdographModel
import OdographPositioning
import OdographStore
import OdographTracking
import OdographWire

/// Passes inputs to the tracker, and collects what the next commit contains: records, inputs and the state.
///
/// Only this type changes the tracker. It is a class, so that the tracker in it is never copied.
final class Intake {
    /// The effects of an input on other parts.
    struct Effects {
        /// The outputs that are no records.
        var outputs: [TrackerOutput]
        /// Whether a loss of state no longer matters.
        var isLossResolved: Bool
        /// Whether a commit must follow.
        var needsCommit: Bool
    }

    let deviceID: String
    var settings: TrackingSettings
    /// The drivers that programs on the vehicle have set.
    var drivers = DriverLog()
    private(set) var tracker: Tracker
    var pending = PendingCommit()
    private(set) var recent = RecentLocations()
    /// The ordinal of the source's last handled event. 0 if there is none.
    var sourceOrdinal: Int64 = 0
    /// The lost part of the last run's state, as long as it matters.
    var stateLoss: Recovery.Loss?
    private(set) var privateSnapshotPolicy = PrivateSnapshotPolicy()

    init(deviceID: String, settings: TrackingSettings, seed: EpochIdentity.Seed) {
        self.deviceID = deviceID
        self.settings = settings
        tracker = Tracker(configuration: settings.core, seed: (seed.high, seed.low))
    }

    /// The values that the agent adds to records.
    var annotations: RecordAnnotations { RecordAnnotations(extras: settings.extras, drivers: drivers) }
    /// The annotations of the next commit.
    var commitAnnotations: RecordAnnotations {
        var annotations = annotations
        annotations.isAfterLoss = pending.isAfterLoss
        return annotations
    }

    // MARK: Inputs

    /// Passes an input to the tracker.
    func handle(_ input: TrackerInput, uptimeMilliseconds: Int64) -> Effects {
        let wasPrivate = tracker.isPrivate
        if let disclosed = tracker.disclose(input) {
            if !pending.appendInput(disclosed) { pending.needsSnapshot = true }
        } else if !wasPrivate {
            // A position of suspended tracking: the journal would not give the state. In private time
            // `PrivateSnapshotPolicy` decides.
            pending.needsSnapshot = true
        }
        let outputs = keepRecords(of: tracker.handle(input), uptimeMilliseconds)
        recent.update(from: tracker, after: input)
        let isLossResolved = stateLoss?.isResolved(by: input, tracker) == true
        if isLossResolved { stateLoss = nil }
        let isSnapshotDue =
            wasPrivate && tracker.isPrivate
            && privateSnapshotPolicy.isDue(
                uptimeMilliseconds: uptimeMilliseconds, meters: tracker.odometerMeters, by: settings)
        if isSnapshotDue { requestSnapshot(uptimeMilliseconds: uptimeMilliseconds) }
        return Effects(outputs: outputs, isLossResolved: isLossResolved, needsCommit: isSnapshotDue)
    }

    /// Requests that the next commit saves a snapshot, which counts as one of private time.
    func requestSnapshot(uptimeMilliseconds: Int64) {
        privateSnapshotPolicy.markSaved(uptimeMilliseconds: uptimeMilliseconds, meters: tracker.odometerMeters)
        pending.needsSnapshot = true
    }

    /// Records the last position before the end of the run.
    func recordFinalPosition(at moment: ClockReading, uptimeMilliseconds: Int64) -> [TrackerOutput] {
        let outputs = tracker.recordFinalPosition(at: moment)
        // These outputs have no input, so the journal cannot reproduce them.
        if !outputs.isEmpty { pending.needsSnapshot = true }
        return keepRecords(of: outputs, uptimeMilliseconds)
    }

    /// Replaces the geofences. Their schedules use the zone of the tracking schedule.
    func replaceGeofences(
        _ geofences: GeofenceSet, at moment: ClockReading, uptimeMilliseconds: Int64
    ) -> [TrackerOutput] {
        let outputs = tracker.replaceGeofences(geofences, zone: settings.schedule.zone, at: moment)
        // A journal must not span two sets.
        pending.needsSnapshot = true
        return keepRecords(of: outputs, uptimeMilliseconds)
    }

    /// Removes the waiting fixes whose date is known now, and returns them with their date.
    func takeDatedFixes(at moment: ClockReading) -> [Fix] {
        pending.phase == .dating || !tracker.hasUndatedFixes ? [] : tracker.takeDatedFixes(at: moment)
    }

    /// Puts the records of outputs into the next commit, and returns the other outputs.
    private func keepRecords(of outputs: [TrackerOutput], _ uptimeMilliseconds: Int64) -> [TrackerOutput] {
        outputs.filter { output in
            guard case .record(let record) = output else { return true }
            pending.append(record, uptimeMilliseconds: uptimeMilliseconds)
            return false
        }
    }

    /// Returns records of the tracker with their numbers, as they are stored and published.
    func messages(
        of records: [TrackerRecord], _ identities: [RecordIdentity], annotations: RecordAnnotations
    ) -> [NewRecord] {
        zip(records, identities).enumerated().map { index, numbered in
            let (record, identity) = numbered
            let message = RecordMessage(
                record, identity: identity, deviceID: deviceID, annotations: annotations.record(at: index))
            return NewRecord(
                identity, kind: record.kind, timestamp: record.timestamp, timeline: record.timelineKey,
                payload: message.payload())
        }
    }

    // MARK: The saved state

    /// Returns the state to save with a batch: a snapshot, or the inputs since the last commit.
    func state(for batch: PendingCommit.Batch) throws -> (journal: [UInt8], snapshot: [UInt8]?) {
        if batch.needsSnapshot { return ([], try snapshot(of: tracker)) }
        let entry = InputJournalEntry(
            batch.inputJournal, sourceOrdinal: sourceOrdinal, odometerMeters: tracker.odometerMeters,
            odometerErrorMeters: tracker.odometerErrorMeters)
        return (entry.bytes, nil)
    }

    /// Returns a snapshot of this or a joined state.
    func snapshot(of state: Tracker) throws -> [UInt8] {
        try StateSnapshot.encode(tracker.disclose(state), sourceOrdinal: sourceOrdinal)
    }

    // MARK: Restoring

    /// Continues from the state of the last run.
    /// - Parameters:
    ///   - geofences: Returns the saved set with an identity. nil if there is none.
    ///   - now: The time; nil if it is not known.
    /// - Returns: The outputs that are no records, and whether the geofences were found.
    func load(
        _ stored: PreviousRunState, geofences: (_ identity: UInt64) -> GeofenceSet?, at now: Timestamp?,
        uptimeMilliseconds: Int64
    ) -> (outputs: [TrackerOutput], hasGeofences: Bool) {
        var recovery = Recovery(of: stored, configuration: settings.core, seed: .random())
        tracker = recovery.tracker
        // The journal needs the geofences.
        let identity = tracker.geofenceIdentity
        let hasGeofences =
            identity == 0
            || geofences(identity).map { tracker.attachGeofences($0, zone: settings.schedule.zone) } == true
        let outputs = recovery.replayJournal(into: &tracker, at: now)
        sourceOrdinal = recovery.sourceOrdinal
        stateLoss = recovery.loss
        if stateLoss?.isOdometerLost == true { pending.isAfterLoss = true }
        return (keepRecords(of: outputs, uptimeMilliseconds), hasGeofences)
    }

    /// Goes on above what another run of this device has published.
    /// - Parameter records: The most records that it has published.
    func skipRecords(_ records: Int) {
        let seed = EpochIdentity.Seed.random()
        tracker.skipRevisions(records, seed: (seed.high, seed.low))
        pending.isAfterLoss = true
        pending.needsSnapshot = true
    }

    /// Begins without a state, because the saved one cannot be read.
    func loadNothing(because error: any Error) {
        let seed = EpochIdentity.Seed.random()
        tracker = Tracker(configuration: settings.core, seed: (seed.high, seed.low))
        stateLoss = Recovery.Loss(
            text: "cannot read the saved state, the tracker starts with an empty one: \(error)", isOdometerLost: true)
        pending.isAfterLoss = true
    }

    /// Continues from a joined state, which has measurements of this run.
    func adopt(_ joined: borrowing JoinedRun, uptimeMilliseconds: Int64) -> [TrackerOutput] {
        tracker = joined.tracker
        if joined.loss?.isOdometerLost == true { stateLoss = joined.loss }
        pending.needsSnapshot = true
        return keepRecords(of: joined.outputs, uptimeMilliseconds)
    }

    /// Begins this run after the state of the last one is loaded.
    func beginRun() {
        pending.needsSnapshot = true
        // Undated positions of a run without private time may belong to time that is private now.
        if settings.schedule.hasPrivateTime { tracker.discardUndatedFixes() }
    }
}
