import Logging
import OdographModel
import OdographPositioning
import OdographStore
import OdographTracking
import OdographWire

/// Runs the tracker and commits its records together with the state that produced them.
///
/// It shares the store's thread. Without `commit_interval` an input's records are on the disk before the next input is
/// handled.
actor Recorder {
    nonisolated var unownedExecutor: UnownedSerialExecutor { store.unownedExecutor }

    let store: AgentStore
    let deviceID: String
    let broadcasts: RecordBroadcasts
    let clock: any AgentClock
    /// Whether the time is the source's (a replay), not the machine's.
    let usesVirtualTime: Bool
    private let batteryReader: BatteryReader
    /// The identifier of the machine's boot. nil if there is none.
    let boot: String?
    /// Called with committed records, in the order of their `seq`, and their capture time on the monotonic clock, which
    /// is nil if they are old.
    let onCommit: @Sendable ([StoredRecord], _ capturedUptimeMilliseconds: Int64?) -> Void
    let problems: ProblemRegistry
    let logger: Logger

    var settings: TrackingSettings
    var tracker: Tracker
    var pending = PendingCommit()
    /// The lost part of the last run's state, as long as it matters.
    var stateLoss: Recovery.Loss?
    var source: (any PositionSource)?
    var sourceOrdinal: Int64 = 0
    var lastRecordUptime: Int64?
    private(set) var hasSourceEnded = false
    /// The time of the source's last event, on the monotonic clock. nil unless the source has positions.
    var lastSourceEventUptime: Int64?
    /// The task that reports a silent receiver after a delay. nil if it is not silent.
    var sourceLostTask: Task<Void, Never>?
    var lastInputTime: ClockReading?
    /// Whether waiting fixes that got their date are being handled.
    var isDatingUndatedFixes = false
    var undatedFixTimer = UndatedFixTimer()
    /// Whether the current records were captured long ago.
    var areRecordsLate = false
    /// The schedule's decision whether to track.
    var gate: ScheduleGate
    /// The time of the source's last event, in the source's time.
    var lastSourceTime: ClockReading?
    var privateSnapshotPolicy = PrivateSnapshotPolicy()
    /// Called when the schedule or the ledger has changed, which the report contains.
    var onReportChange: (@Sendable () -> Void)?
    /// Decides whether to track while the schedule is closed in mode `stop`.
    var shouldTrackOutsideSchedule: (@Sendable () -> Bool)?
    var storeFileMonitor = StoreFileMonitor()
    /// Whether the store has a file, or will have one.
    var hasStoreFile = false
    /// Called after events of the store's file.
    var storeObserver: (@Sendable (StoreEvent) -> Void)?
    private var batteryReadUptime: Int64?
    private var positionContinuations: [UInt64: CheckedContinuation<LocationEvent?, Never>] = [:]
    private var nextRequestID: UInt64 = 0
    private var hasStopped = false
    private var wakeUp: (task: Task<Void, Never>, uptimeMilliseconds: Int64)?
    /// The time of the next tick or commit attempt, on the monotonic clock. nil if neither is due.
    private var tickDueUptime: Int64?

    /// The time between two battery readings. The kernel's gauge needs minutes for a percent.
    private static let batteryIntervalMilliseconds: Int64 = 60_000

    init(
        store: AgentStore, deviceID: String, settings: TrackingSettings, clock: any AgentClock, usesVirtualTime: Bool,
        boot: String? = nil, batteryReader: BatteryReader = BatteryReader(),
        broadcasts: RecordBroadcasts = RecordBroadcasts(),
        problems: ProblemRegistry,
        onCommit: @escaping @Sendable ([StoredRecord], _ capturedUptimeMilliseconds: Int64?) -> Void,
        logger: Logger
    ) {
        self.store = store
        self.deviceID = deviceID
        self.broadcasts = broadcasts
        self.settings = settings
        self.clock = clock
        self.usesVirtualTime = usesVirtualTime
        self.boot = boot
        self.batteryReader = batteryReader
        self.problems = problems
        self.onCommit = onCommit
        self.logger = logger
        let seed = store.epochIdentity.seed
        tracker = Tracker(configuration: settings.core, seed: (seed.high, seed.low))
        gate = ScheduleGate(schedule: settings.schedule, isReplay: usesVirtualTime)
    }

    // MARK: What others ask

    /// The last accepted position, as a location event at the current time. nil in private time.
    var lastLocation: LocationEvent? {
        guard !isPrivate else { return nil }
        return tracker.currentLocation(at: now()).map { LocationEvent($0, identity: nil, extras: settings.extras) }
    }

    /// Whether the vehicle is moving. nil while the schedule is closed in mode `stop` or `private`.
    var isMoving: Bool? {
        switch tracker.schedule.rule?.mode {
        case .stop, .private: nil
        case .tag, nil: tracker.isMoving
        }
    }
    var isTrackingEnabled: Bool { settings.core.isEnabled }
    var counters: TrackerCounters { tracker.counters }

    var retentionSeconds: Double { settings.retentionSeconds }

    /// The time since the last record, seconds. nil before the first record of this run.
    var secondsSinceRecord: Double? {
        lastRecordUptime.map { Double(clock.now().uptimeMilliseconds - $0) / 1000 }
    }

    var odometer: OdometerReading {
        OdometerReading(meters: tracker.odometerMeters, errorMeters: tracker.odometerErrorMeters)
    }

    // MARK: Life

    /// Handles a source's events until it ends or the task is cancelled.
    func consume(_ source: any PositionSource) async {
        self.source = source
        let events = source.events()
        // The reduced rate that was requested before a restart stays in force.
        if tracker.requiredFixRate == .reduced { source.requestRate(.reduced) }
        do {
            for try await event in events { receive(event) }
        } catch is CancellationError {
            return
        } catch {
            logger.error("\(source.name): \(error)")
            problems.raise(.sourceFailed, "\(source.name): \(error)")
        }
        guard !Task.isCancelled else { return }
        recordLastPosition()
        commit()
        hasSourceEnded = true
        logger.notice("\(source.name) has ended", metadata: ["fixes": "\(source.counters.fixes)"])
    }

    /// Records the last position, commits pending records and ends the event streams.
    func stop() {
        recordLastPosition()
        hasStopped = true
        wakeUp?.task.cancel()
        wakeUp = nil
        sourceLostTask?.cancel()
        checkStoreFile(isFinal: true)
        // Another version may start next, and it reads a snapshot best.
        pending.needsSnapshot = true
        commit()
        for (_, continuation) in positionContinuations { continuation.resume(returning: nil) }
        positionContinuations.removeAll()
        storeObserver = nil
        broadcasts.finish()
    }

    private func recordLastPosition() {
        // Without an input in this run, the previous run already recorded its final position.
        guard !hasStopped, let lastInputTime else { return }
        let outputs = tracker.recordFinalPosition(at: usesVirtualTime ? lastInputTime : clock.now())
        // These outputs have no input, so the journal cannot reproduce them.
        if !outputs.isEmpty { pending.needsSnapshot = true }
        for output in outputs { dispatch(output) }
    }

    // MARK: Inputs

    /// Handles an event of the source.
    func receive(_ event: SourceEvent) {
        checkStoreFile()
        updateBattery(at: event.receivedAt)
        sourceOrdinal = event.ordinal
        switch event.content {
        case .fix(let fix): receive(ReceivedFix(fix, hasReceiverDate: true))
        case .undatedFix(let fix): receive(ReceivedFix(fix, hasReceiverDate: false))
        case .state(let state, let moment, let detail):
            lastSourceEventUptime = state == .available ? clock.now().uptimeMilliseconds : nil
            logger.info("positions: \(state.rawValue)", metadata: ["detail": "\(detail)"])
            updateReceiverProblem(state, detail)
            process(.source(state, at: moment))
        }
    }

    func apply(_ new: TrackingSettings) {
        let isScheduleNew = settings.schedule != new.schedule
        let isZoneNew = settings.schedule.zone != new.schedule.zone
        settings = new
        if isZoneNew { updateGeofenceTimeZone() }
        if isScheduleNew { applySchedule(new.schedule) }
        if tracker.configuration != new.core { process(.configuration(new.core, at: now())) }
        scheduleWakeUp()
    }

    func setOdometer(meters: Double) {
        process(.odometer(meters: meters, at: now()))
        pending.needsSnapshot = true
        commit()
    }

    /// Takes samples and returns the best one. nil if no acceptable position arrived in time.
    func currentPosition(samples: Int, timeoutSeconds: Double, isPersisted: Bool) async -> LocationEvent? {
        guard !hasStopped else { return nil }
        nextRequestID += 1
        let id = nextRequestID
        let request = PositionRequest(
            id: id, samples: samples, timeoutSeconds: timeoutSeconds, isPersisted: isPersisted)
        // The tracker's time may be that of a replay that has ended, so the machine's clock limits the wait too.
        let bound = Task { [weak self] in
            try? await Task.sleep(for: .seconds(timeoutSeconds + 1))
            await self?.resumeRequest(id, with: nil)
        }
        defer { bound.cancel() }
        return await withCheckedContinuation { continuation in
            positionContinuations[id] = continuation
            process(.positionRequest(request, at: now()))
        }
    }

    func process(_ input: TrackerInput) {
        dateUndatedFixes(before: input)
        lastInputTime = input.clockReading
        advanceSchedule(before: input)
        handle(input)
        if !isDatingUndatedFixes,
            pending.isDue(
                intervalSeconds: settings.commitIntervalSeconds, uptimeMilliseconds: clock.now().uptimeMilliseconds)
        {
            commit()
        }
        scheduleWakeUp()
    }

    /// Passes an input to the tracker and executes the outputs.
    func handle(_ input: TrackerInput) {
        let wasPrivate = isPrivate
        if !wasPrivate, !pending.appendInput(input) { pending.needsSnapshot = true }
        for output in tracker.handle(input) { dispatch(output) }
        storeFileMonitor.observe(input, lastFix: tracker.lastFix)
        clearLoss(after: input)
        if wasPrivate, isPrivate { savePrivateSnapshotIfDue() }
    }

    func dispatch(_ output: TrackerOutput) {
        switch output {
        case .record(let record):
            pending.append(record, uptimeMilliseconds: clock.now().uptimeMilliseconds)
        case .sample(let location):
            broadcasts.locations.send(LocationEvent(location, identity: nil, extras: settings.extras))
        case .position(let location, let request):
            resumeRequest(request, with: location.map { LocationEvent($0, identity: nil, extras: settings.extras) })
        case .fixRate(let rate): source?.requestRate(rate)
        }
    }

    private func resumeRequest(_ request: UInt64, with event: LocationEvent?) {
        positionContinuations.removeValue(forKey: request)?.resume(returning: event)
    }

    private func updateBattery(at moment: ClockReading) {
        let uptime = clock.now().uptimeMilliseconds
        if let read = batteryReadUptime, uptime - read < Self.batteryIntervalMilliseconds { return }
        let isFirst = batteryReadUptime == nil
        batteryReadUptime = uptime
        let battery = batteryReader.battery()
        if battery != nil || !isFirst { process(.battery(battery, at: moment)) }
    }

    func now() -> ClockReading {
        usesVirtualTime ? lastInputTime ?? clock.now() : clock.now()
    }

    // MARK: What falls due

    /// Schedules one wake-up for the next due time.
    func scheduleWakeUp() {
        guard !hasStopped else { return }
        tickDueUptime = [tickDueUptime, recordingDueUptime].compactMap { $0 }.min()
        guard let due = [tickDueUptime, storeCheckDueUptime].compactMap({ $0 }).min() else { return }
        // An earlier wake-up schedules the next one itself. Only a later one must be replaced.
        if let wakeUp, wakeUp.uptimeMilliseconds <= due { return }
        wakeUp?.task.cancel()
        let clock = clock
        let task = Task { [weak self] in
            do { try await clock.sleep(untilUptimeMilliseconds: due) } catch { return }
            await self?.wake()
        }
        wakeUp = (task, due)
    }

    /// The time of the next commit, or at which the tracker or the schedule needs a tick.
    private var recordingDueUptime: Int64? {
        let due = pending.due(intervalSeconds: settings.commitIntervalSeconds)
        guard !usesVirtualTime, let seconds = secondsUntilDue else { return due }
        return min(due ?? .max, clock.now().uptimeMilliseconds + Int64((seconds * 1000).rounded(.up)))
    }

    private func wake() {
        wakeUp = nil
        checkStoreFile()
        // A check of the store's file alone needs no tick.
        guard let due = tickDueUptime, due <= clock.now().uptimeMilliseconds else { return scheduleWakeUp() }
        tickDueUptime = nil
        if usesVirtualTime { commitIfDue() } else { process(.tick(clock.now())) }
    }

    private func commitIfDue() {
        let uptime = clock.now().uptimeMilliseconds
        if pending.isDue(intervalSeconds: settings.commitIntervalSeconds, uptimeMilliseconds: uptime) { commit() }
        scheduleWakeUp()
    }
}
