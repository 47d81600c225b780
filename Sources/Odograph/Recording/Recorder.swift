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
    let feeds: RecordFeeds
    let clock: any AgentClock
    /// Whether time is the source's (a replay), so that the machine's clock says nothing about what is due.
    let isTimeVirtual: Bool
    private let power: PowerSupply
    /// The machine's name for its boot; nil where it has none.
    let boot: String?
    /// Told of records that are on the disk, in the order of their seq, and of when they were captured, on the monotonic
    /// clock; nil: long ago.
    let committed: @Sendable ([StoredRecord], _ capturedUptimeMilliseconds: Int64?) -> Void
    let problems: ProblemBoard
    let logger: Logger

    var settings: TrackingSettings
    var tracker: Tracker
    var pending = PendingCommit()
    /// What of the last run's state was lost, as long as it matters.
    var stateLoss: Restoration.Loss?
    var source: (any PositionSource)?
    var sourceOrdinal: Int64 = 0
    var lastRecordUptime: Int64?
    private(set) var hasSourceEnded = false
    /// When the source spoke last, where its last word on it was that it has positions.
    var positionsSinceUptime: Int64?
    /// Waits until a receiver that cannot be heard is worth telling of; nil where it can be.
    var lostReceiver: Task<Void, Never>?
    var lastMoment: Moment?
    /// Positions that had waited for their date are being handled.
    var isDating = false
    /// How long positions have waited for their date, and when they are saved.
    var undatedWait = UndatedWait()
    /// What is recorded now was captured long ago.
    var areRecordsLate = false
    /// Whether tracking is on, and what it means where it is not.
    var gate: ScheduleGate
    /// When the source spoke last, where time is the source's.
    var scheduleMoment: Moment?
    /// When the state is saved while no position may be.
    var privateSave = PrivateSave()
    /// Called when the schedule or the ledger has changed, which the report says.
    var reportChanged: (@Sendable () -> Void)?
    /// Asked while the schedule is closed whether to track all the same.
    var shouldTrackOutsideSchedule: (@Sendable () -> Bool)?
    /// When the store's file is looked after.
    var storeWatch = StoreWatch()
    /// Whether the store has a file, or is to have one.
    var hasStoreFile = false
    /// Told of the store's file.
    var storeChanged: (@Sendable (StoreEvent) -> Void)?
    private var batteryReadUptime: Int64?
    private var waiting: [UInt64: CheckedContinuation<LocationEvent?, Never>] = [:]
    private var nextRequest: UInt64 = 0
    private var hasStopped = false
    private var wakeUp: (task: Task<Void, Never>, uptimeMilliseconds: Int64)?
    /// When the tracker is told the time or a commit is tried, on the monotonic clock; nil where neither is due.
    private var tickDueUptime: Int64?

    /// The kernel's battery gauge moves by a percent in minutes.
    private static let batteryIntervalMilliseconds: Int64 = 60_000

    init(
        store: AgentStore, deviceID: String, settings: TrackingSettings, clock: any AgentClock, isTimeVirtual: Bool,
        boot: String? = nil, power: PowerSupply = PowerSupply(), feeds: RecordFeeds = RecordFeeds(),
        problems: ProblemBoard,
        committed: @escaping @Sendable ([StoredRecord], _ capturedUptimeMilliseconds: Int64?) -> Void,
        logger: Logger
    ) {
        self.store = store
        self.deviceID = deviceID
        self.feeds = feeds
        self.settings = settings
        self.clock = clock
        self.isTimeVirtual = isTimeVirtual
        self.boot = boot
        self.power = power
        self.problems = problems
        self.committed = committed
        self.logger = logger
        let seed = store.identities.seed
        tracker = Tracker(configuration: settings.core, seed: (seed.high, seed.low))
        gate = ScheduleGate(schedule: settings.schedule, isReplay: isTimeVirtual)
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
    var odometer: Odometer { Odometer(meters: tracker.odometerMeters, errorMeters: tracker.odometerErrorMeters) }

    // MARK: Life

    /// Takes what a source says until it has no more to say, or the task is cancelled.
    func follow(_ source: any PositionSource) async {
        self.source = source
        let events = source.events()
        // What was wished before a restart holds on.
        if tracker.receiverWish == .reduced { source.wish(.down) }
        do {
            for try await event in events { take(event) }
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
        lostReceiver?.cancel()
        lookAfterStore(isLast: true)
        // Whoever starts next can be another version, and reads this best.
        pending.wantsSnapshot = true
        commit()
        for (_, continuation) in waiting { continuation.resume(returning: nil) }
        waiting.removeAll()
        storeChanged = nil
        feeds.finish()
    }

    private func recordLastPosition() {
        // What a run before this one saw it had its own end to tell.
        guard !hasStopped, let lastMoment else { return }
        let outputs = tracker.recordLastPosition(at: isTimeVirtual ? lastMoment : clock.now())
        // No input led to it, so that the journal could not say how.
        if !outputs.isEmpty { pending.wantsSnapshot = true }
        for output in outputs { dispatch(output) }
    }

    // MARK: Inputs

    /// An event of the source.
    func take(_ event: SourceEvent) {
        lookAfterStore()
        readBattery(at: event.moment)
        sourceOrdinal = event.ordinal
        switch event.content {
        case .fix(let fix): take(UndatedFix(fix, hasReceiverDate: true))
        case .undated(let fix): take(UndatedFix(fix, hasReceiverDate: false))
        case .state(let state, let moment, let detail):
            positionsSinceUptime = state == .available ? clock.now().uptimeMilliseconds : nil
            logger.info("positions: \(state.rawValue)", metadata: ["detail": "\(detail)"])
            watchReceiver(state, detail)
            take(.source(state, at: moment))
        }
    }

    /// New settings are in force from now on.
    func apply(_ new: TrackingSettings) {
        let isScheduleNew = settings.schedule != new.schedule
        let isZoneNew = settings.schedule.zone != new.schedule.zone
        settings = new
        if isZoneNew { renewGeofenceZone() }
        if isScheduleNew { applySchedule(new.schedule) }
        if tracker.configuration != new.core { take(.configuration(new.core, at: now())) }
        scheduleWakeUp()
    }

    func setOdometer(meters: Double) {
        take(.odometer(meters: meters, at: now()))
        pending.wantsSnapshot = true
        commit()
    }

    /// Takes samples and gives the best; nil where no acceptable position came in time.
    func currentPosition(samples: Int, timeoutSeconds: Double, isPersisted: Bool) async -> LocationEvent? {
        guard !hasStopped else { return nil }
        nextRequest += 1
        let id = nextRequest
        let request = PositionRequest(
            id: id, samples: samples, timeoutSeconds: timeoutSeconds, isPersisted: isPersisted)
        // The tracker's time may be a replay's that has ended: the machine's clock bounds the wait in any case.
        let bound = Task { [weak self] in
            try? await Task.sleep(for: .seconds(timeoutSeconds + 1))
            await self?.answer(id, with: nil)
        }
        defer { bound.cancel() }
        return await withCheckedContinuation { continuation in
            waiting[id] = continuation
            take(.positionRequest(request, at: now()))
        }
    }

    func take(_ input: TrackerInput) {
        date(before: input)
        lastMoment = input.moment
        passSchedule(before: input)
        handle(input)
        if !isDating,
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
        if !wasPrivate, !pending.note(input) { pending.wantsSnapshot = true }
        for output in tracker.handle(input) { dispatch(output) }
        storeWatch.note(input, lastFix: tracker.lastFix)
        settleLoss(after: input)
        if wasPrivate, isPrivate { savePrivately() }
    }

    func dispatch(_ output: TrackerOutput) {
        switch output {
        case .record(let record):
            pending.add(record, uptimeMilliseconds: clock.now().uptimeMilliseconds)
        case .sample(let location):
            feeds.locations.send(LocationEvent(location, identity: nil, extras: settings.extras))
        case .position(let location, let request):
            answer(request, with: location.map { LocationEvent($0, identity: nil, extras: settings.extras) })
        case .receiver(let wish): source?.wish(wish == .full ? .up : .down)
        }
    }

    private func answer(_ request: UInt64, with event: LocationEvent?) {
        waiting.removeValue(forKey: request)?.resume(returning: event)
    }

    private func readBattery(at moment: Moment) {
        let uptime = clock.now().uptimeMilliseconds
        if let read = batteryReadUptime, uptime - read < Self.batteryIntervalMilliseconds { return }
        let isFirst = batteryReadUptime == nil
        batteryReadUptime = uptime
        let battery = power.battery()
        if battery != nil || !isFirst { take(.battery(battery, at: moment)) }
    }

    func now() -> Moment {
        isTimeVirtual ? lastMoment ?? clock.now() : clock.now()
    }

    // MARK: What falls due

    /// Sleeps until the next thing that falls due, and no more often.
    func scheduleWakeUp() {
        guard !hasStopped else { return }
        tickDueUptime = [tickDueUptime, recordingDueUptime].compactMap { $0 }.min()
        guard let due = [tickDueUptime, storeDueUptime].compactMap({ $0 }).min() else { return }
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
        guard !isTimeVirtual, let seconds = secondsUntilDue else { return due }
        return min(due ?? .max, clock.now().uptimeMilliseconds + Int64((seconds * 1000).rounded(.up)))
    }

    private func wake() {
        wakeUp = nil
        lookAfterStore()
        // The store's file alone is nothing that the tracker has to know.
        guard let due = tickDueUptime, due <= clock.now().uptimeMilliseconds else { return scheduleWakeUp() }
        tickDueUptime = nil
        if isTimeVirtual { commitIfDue() } else { take(.tick(clock.now())) }
    }

    private func commitIfDue() {
        let uptime = clock.now().uptimeMilliseconds
        if pending.isDue(intervalSeconds: settings.commitIntervalSeconds, uptimeMilliseconds: uptime) { commit() }
        scheduleWakeUp()
    }
}
