import Logging
import OdographBeacons
import OdographModel
import OdographPositioning
import OdographStore
import OdographTracking

/// Takes each input of the sources through its steps: waiting fixes get their date, the schedule advances, the tracker
/// handles the input, and its records are committed together with the state that produced them.
///
/// It shares the store's thread, so a step is a plain call. Without `commit_interval` the records of an input are on
/// the disk before the next input is handled.
actor InputPipeline {
    nonisolated var unownedExecutor: UnownedSerialExecutor { store.unownedExecutor }

    let store: AgentStore
    let problems: RecordingProblems
    /// Whether the time is the source's (a replay), not the machine's.
    let usesVirtualTime: Bool
    var time: RecordingTime
    /// The tracker, and the content of the next commit.
    let intake: Intake
    var schedule: ScheduleControl
    var outlets: RecordOutlets
    /// Whether the schedule knew the time when it last advanced.
    var isTimeKnown = true
    var zoneWatch: ZoneWatch
    var undatedFixTimer = UndatedFixTimer()
    var wakeUpPlan = WakeUpPlan()
    var wakeUpTimer = DueTimer()
    var storeFile: StoreFileKeeper
    var sourceMonitor = SourceMonitor()
    /// The timer of the report that the source is lost.
    var sourceLossTimer = DueTimer()
    var signalMonitor = SignalMonitor()
    private var givingUpWatch = GivingUpWatch()
    var batteryPoll: BatteryPoll
    var beacons = BeaconObservation()
    /// The signals of programs that stay after a restart; nil for none.
    var savedSignals: SavedSignals?
    private(set) var hasStopped = false

    init(
        store: AgentStore, deviceID: String, settings: TrackingSettings, clock: any AgentClock, usesVirtualTime: Bool,
        boot: String? = nil, batteryReader: BatteryReader = BatteryReader(),
        zoneWatch: ZoneWatch = ZoneWatch(), broadcasts: RecordBroadcasts = RecordBroadcasts(),
        problems: ProblemRegistry,
        onCommit: @escaping RecordOutlets.OnCommit,
        logger: Logger
    ) {
        self.store = store
        self.zoneWatch = zoneWatch
        self.usesVirtualTime = usesVirtualTime
        self.problems = RecordingProblems(registry: problems, logger: logger)
        time = RecordingTime(clock: clock, usesVirtualTime: usesVirtualTime, boot: boot)
        intake = Intake(deviceID: deviceID, settings: settings, seed: store.epochIdentity.seed)
        schedule = ScheduleControl(settings.schedule, isReplay: usesVirtualTime)
        outlets = RecordOutlets(broadcasts: broadcasts, onCommit: onCommit)
        storeFile = StoreFileKeeper(store: store, problems: self.problems)
        batteryPoll = BatteryPoll(reader: batteryReader)
    }

    /// Records the last position, commits pending records and ends the event streams.
    /// - Returns: What ends with the run because it could not be stored. nil if everything is stored.
    @discardableResult
    func stop() -> UnsavedEnd? {
        if !hasStopped { recordFinalPosition() }
        hasStopped = true
        wakeUpTimer.cancel()
        beacons.task?.cancel()
        sourceLossTimer.cancel()
        checkStoreFile(isFinal: true)
        // The next start then replays no journal.
        commitSnapshot()
        let isDatabaseLost = storeFile.monitor.place != .file
        storeFile.stop()
        outlets.finish()
        guard isDatabaseLost || intake.pending.hasFailed else { return nil }
        return UnsavedEnd(
            records: intake.pending.count + intake.pending.droppedCount, isDatabaseLost: isDatabaseLost)
    }

    // MARK: Inputs

    /// Takes an input whose date is known through all steps.
    func process(_ input: TrackerInput) {
        if case .started = input {} else { dateUndatedFixes(at: input.clockReading) }
        begin(input.clockReading)
        advanceSchedule(before: input)
        if !isOfEndedPrivateTime(input) { handle(input) }
        commitIfDue()
    }

    private func isOfEndedPrivateTime(_ input: TrackerInput) -> Bool {
        guard case .fix(let fix) = input, !intake.tracker.isPrivate else { return false }
        return schedule.gate.isOfEndedPrivateTime(
            fix, maximumAgeSeconds: intake.settings.core.filter.maximumAgeSeconds)
    }

    /// Notes the time of an input, at which its records are captured.
    func begin(_ moment: ClockReading) {
        time.lastInput = moment
        intake.pending.captureUptimeMilliseconds = time.captureUptimeMilliseconds
    }

    /// Passes an input to the tracker and executes the effects.
    func handle(_ input: TrackerInput) {
        let effects = intake.handle(input, uptimeMilliseconds: time.uptimeMilliseconds)
        execute(effects.outputs)
        problems.reportPosition(
            isLost: intake.tracker.isPositionLost, areDatesRejected: intake.tracker.areDatesRejected,
            isImplausible: intake.tracker.isPositionImplausible, isJammed: intake.tracker.isReceiverJammed)
        storeFile.monitor.observe(input, by: intake.tracker)
        if effects.isLossResolved { problems.registry.clear(.stateLost) }
        if effects.needsCommit { commit() }
    }

    func execute(_ outputs: [TrackerOutput]) {
        outlets.execute(outputs, annotations: intake.annotations)
    }

    /// Records the last position before the source or the agent ends.
    func recordFinalPosition() {
        // Without an input in this run, the previous run already recorded its final position.
        guard time.lastInput != nil else { return }
        execute(intake.recordFinalPosition(at: time.now, uptimeMilliseconds: time.uptimeMilliseconds))
    }

    // MARK: Commits

    /// Commits the pending records together with the state that produced them, and plans the next wake-up.
    func commit() {
        guard intake.pending.phase != .dating else { return }
        checkStoreFile()
        if let batch = intake.pending.batch {
            do {
                try commit(batch, annotations: intake.commitAnnotations)
            } catch StoreError.stateLost where !batch.needsSnapshot {
                return commitSnapshot()
            } catch {
                // The batch is still pending.
                intake.pending.markFailed(retryAt: time.uptimeMilliseconds + PendingCommit.retryMilliseconds)
                problems.raiseStoreFailed(error, waiting: intake.pending.count, dropped: intake.pending.droppedCount)
            }
        }
        planWakeUp()
    }

    private func commit(_ batch: PendingCommit.Batch, annotations: RecordAnnotations) throws {
        let stored = try save(batch, annotations: annotations)
        outlets.announce(
            stored, of: batch.records, annotations: annotations, identities: store.epochIdentity,
            uptimeMilliseconds: time.uptimeMilliseconds, capturedUptimeMilliseconds: batch.capturedUptimeMilliseconds)
        problems.clearStoreFailed()
        let givenUp = store.assumeIsolated { $0.givenUpForRoom }
        if givingUpWatch.hasBegun(givenUp, uptimeMilliseconds: time.uptimeMilliseconds) { problems.warnOfGivingUp() }
        guard !batch.droppedCounts.isEmpty, !stored.isEmpty else { return }
        problems.clearRecordsGivenUp(batch.droppedCounts)
        // The report explains to consumers why these numbers never arrive.
        outlets.onReportChange?()
    }

    /// Stores a batch. A record contains its number, so its bytes are made when the store has told the next numbers.
    /// - Returns: The stored records.
    private func save(_ batch: PendingCommit.Batch, annotations: RecordAnnotations) throws -> [StoredRecord] {
        let state = try intake.state(for: batch)
        let now = time.now.systemTime
        var attempts = 0
        while true {
            attempts += 1
            do {
                let identities = try store.assumeIsolated {
                    try $0.nextIdentities(batch.records.count, dropped: batch.droppedCounts)
                }
                let records = intake.messages(of: batch.records, identities, annotations: annotations)
                try store.assumeIsolated {
                    try $0.commit(
                        records, dropped: batch.droppedCounts, journal: state.journal, snapshot: state.snapshot,
                        now: now)
                }
                intake.pending.markCommitted(isSnapshot: state.snapshot != nil)
                return records.map(\.record)
            } catch StoreError.numbersChanged where attempts < Self.maximumAttempts {
                continue
            }
        }
    }

    /// How often a batch is made again. The numbers change once if the database is damaged, and twice if room is made.
    private static let maximumAttempts = 4

    /// Commits with a snapshot, even if there is no record.
    func commitSnapshot() {
        intake.pending.needsSnapshot = true
        commit()
    }

    /// Commits if the commit interval has passed.
    func commitIfDue() {
        let interval = intake.settings.commitIntervalSeconds
        let isDue = intake.pending.isDue(intervalSeconds: interval, uptimeMilliseconds: time.uptimeMilliseconds)
        if isDue { commit() } else { planWakeUp() }
    }

    /// Commits the records of past time at once. Later records are as old as their input.
    func commitLateRecords() {
        if intake.pending.count > 0 { commit() }
        intake.pending.phase = .current
    }
}
