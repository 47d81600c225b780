import Logging
import Positioning
import Store
import Tracking
import Wire

/// Runs the tracker and commits what it decides, together with the state that decided it.
///
/// It shares the store's thread: an input is handled and its records are on the disk before the next one is looked at.
actor Recorder {
    nonisolated var unownedExecutor: UnownedSerialExecutor { store.unownedExecutor }

    let store: AgentStore
    let deviceID: String
    let broadcasts: RecordBroadcasts
    let clock: any AgentClock
    /// Whether time is the source's (a replay), so that the machine's clock says nothing about what is due.
    let usesVirtualTime: Bool
    private let batteryReader: BatteryReader
    /// The machine's name for its boot; nil where it has none.
    let boot: String?
    /// Told of records that are on the disk, in the order of their seq, and of when they were captured, on the monotonic
    /// clock; nil: long ago.
    let onCommit: @Sendable ([StoredRecord], _ capturedUptimeMilliseconds: Int64?) -> Void
    let problems: ProblemRegistry
    let logger: Logger

    var settings: TrackingSettings
    var tracker: Tracker
    var pending = PendingCommit()
    /// What of the last run's state was lost, as long as it matters.
    var stateLoss: Recovery.Loss?
    var source: (any PositionSource)?
    var sourceOrdinal: Int64 = 0
    var lastRecordUptime: Int64?
    private(set) var hasSourceEnded = false
    /// When the source spoke last, where its last word on it was that it has positions.
    var lastSourceEventUptime: Int64?
    /// Waits until a receiver that cannot be heard is worth telling of; nil where it can be.
    var sourceLostTask: Task<Void, Never>?
    var lastInputTime: ClockReading?
    /// Positions that had waited for their date are being handled.
    var isDatingUndatedFixes = false
    /// How long positions have waited for their date, and when they are saved.
    var undatedFixTimer = UndatedFixTimer()
    /// What is recorded now was captured long ago.
    var areRecordsLate = false
    /// Whether tracking is on, and what it means where it is not.
    var gate: ScheduleGate
    /// When the source spoke last, where time is the source's.
    var lastSourceTime: ClockReading?
    /// When the state is saved while no position may be.
    var privateSnapshotPolicy = PrivateSnapshotPolicy()
    /// Called when the schedule or the ledger has changed, which the report says.
    var onReportChange: (@Sendable () -> Void)?
    /// Asked while the schedule is closed whether to track all the same.
    var shouldTrackOutsideSchedule: (@Sendable () -> Bool)?
    /// When the store's file is looked after.
    var storeFileMonitor = StoreFileMonitor()
    /// Whether the store has a file, or is to have one.
    var hasStoreFile = false
    /// Told of the store's file.
    var storeObserver: (@Sendable (StoreEvent) -> Void)?
    private var batteryReadUptime: Int64?
    private var positionContinuations: [UInt64: CheckedContinuation<LocationEvent?, Never>] = [:]
    private var nextRequestID: UInt64 = 0
    private var hasStopped = false
    private var wakeUp: (task: Task<Void, Never>, uptimeMilliseconds: Int64)?
    /// When the tracker is told the time or a commit is tried, on the monotonic clock; nil where neither is due.
    private var tickDueUptime: Int64?

    /// The kernel's battery gauge moves by a percent in minutes.
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

    /// The last believed position, as an event would say it now.
    var lastLocation: LocationEvent? {
        guard !isPrivate else { return nil }
        return tracker.currentLocation(at: now()).map { LocationEvent($0, identity: nil, extras: settings.extras) }
    }

    var isMoving: Bool { tracker.isMoving }
    var isTrackingEnabled: Bool { settings.core.isEnabled }
    var counters: TrackerCounters { tracker.counters }

    var retentionSeconds: Double { settings.retentionSeconds }

    /// How long nothing has been recorded; nil before the first record of this run.
    var secondsSinceRecord: Double? {
        lastRecordUptime.map { Double(clock.now().uptimeMilliseconds - $0) / 1000 }
    }

    /// Distance and its bound, metres.
    var odometer: OdometerReading {
        OdometerReading(meters: tracker.odometerMeters, errorMeters: tracker.odometerErrorMeters)
    }

    // MARK: Life

    /// Takes what a source says until it has no more to say, or the task is cancelled.
    func consume(_ source: any PositionSource) async {
        self.source = source
        let events = source.events()
        // What was wished before a restart holds on.
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

    /// Records where the vehicle is, commits what waits and says no more.
    func stop() {
        recordLastPosition()
        hasStopped = true
        wakeUp?.task.cancel()
        wakeUp = nil
        sourceLostTask?.cancel()
        checkStoreFile(isFinal: true)
        // Whoever starts next can be another version, and reads this best.
        pending.needsSnapshot = true
        commit()
        for (_, continuation) in positionContinuations { continuation.resume(returning: nil) }
        positionContinuations.removeAll()
        storeObserver = nil
        broadcasts.finish()
    }

    private func recordLastPosition() {
        // What a run before this one saw it had its own end to tell.
        guard !hasStopped, let lastInputTime else { return }
        let outputs = tracker.recordFinalPosition(at: usesVirtualTime ? lastInputTime : clock.now())
        // No input led to it, so that the journal could not say how.
        if !outputs.isEmpty { pending.needsSnapshot = true }
        for output in outputs { dispatch(output) }
    }

    // MARK: Inputs

    /// An event of the source.
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

    /// New settings are in force from now on.
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

    /// Takes samples and gives the best; nil where no acceptable position came in time.
    func currentPosition(samples: Int, timeoutSeconds: Double, isPersisted: Bool) async -> LocationEvent? {
        guard !hasStopped else { return nil }
        nextRequestID += 1
        let id = nextRequestID
        let request = PositionRequest(
            id: id, samples: samples, timeoutSeconds: timeoutSeconds, isPersisted: isPersisted)
        // The tracker's time may be a replay's that has ended: the machine's clock bounds the wait in any case.
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

    /// Gives the tracker an input and does what comes of it.
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
        case .fixRate(let wish): source?.requestRate(wish == .full ? .full : .reduced)
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

    /// Sleeps until the next thing that falls due, and no more often.
    func scheduleWakeUp() {
        guard !hasStopped else { return }
        tickDueUptime = [tickDueUptime, recordingDueUptime].compactMap { $0 }.min()
        guard let due = [tickDueUptime, storeCheckDueUptime].compactMap({ $0 }).min() else { return }
        // An earlier wake-up looks again; only a later one has to make way.
        if let wakeUp, wakeUp.uptimeMilliseconds <= due { return }
        wakeUp?.task.cancel()
        let clock = clock
        let task = Task { [weak self] in
            do { try await clock.sleep(untilUptimeMilliseconds: due) } catch { return }
            await self?.wake()
        }
        wakeUp = (task, due)
    }

    /// When the next commit is due, or the tracker wants to know the time.
    private var recordingDueUptime: Int64? {
        let due = pending.due(intervalSeconds: settings.commitIntervalSeconds)
        guard !usesVirtualTime, let seconds = secondsUntilDue else { return due }
        return min(due ?? .max, clock.now().uptimeMilliseconds + Int64((seconds * 1000).rounded(.up)))
    }

    private func wake() {
        wakeUp = nil
        checkStoreFile()
        // The store's file alone is nothing that the tracker has to know.
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
