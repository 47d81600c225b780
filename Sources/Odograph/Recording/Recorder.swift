import Logging
import OdographBeacons
import OdographModel
import OdographPositioning
import OdographStore
import OdographTracking
import OdographWire

/// Records the positions of a source: the tracker handles them, and its records are committed together with the state
/// that produced them.
///
/// It shares the store's thread. Without `commit_interval` an input's records are on the disk before the next input is
/// handled. ``RecordingPipeline`` has the steps; this actor reads the source, wakes up, and answers other parts.
actor Recorder {
    nonisolated var unownedExecutor: UnownedSerialExecutor { store.unownedExecutor }

    let store: AgentStore
    /// The signals of programs that stay after a restart; nil for none.
    var savedSignals: SavedSignals?
    /// Whether the time is the source's (a replay), not the machine's.
    let usesVirtualTime: Bool
    let pipeline: RecordingPipeline
    private(set) var sourceMonitor = SourceMonitor()
    private var signalMonitor = SignalMonitor()
    /// The receiver of beacons; nil for none.
    var beaconSource: (any BeaconSource)?
    /// The consumer of its events, and the rule that it uses; nil while no beacon is named.
    var beaconTask: Task<Void, Never>?
    var beaconRule = BeaconRule()
    private var batteryPoll: BatteryPoll
    private var nextWakeUp: (task: Task<Void, Never>, due: Int64)?
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
        self.usesVirtualTime = usesVirtualTime
        batteryPoll = BatteryPoll(reader: batteryReader)
        pipeline = RecordingPipeline(
            store, deviceID: deviceID, settings: settings,
            time: RecordingTime(clock: clock, usesVirtualTime: usesVirtualTime, boot: boot),
            outlets: RecordOutlets(broadcasts: broadcasts, onCommit: onCommit),
            problems: RecordingProblems(registry: problems, logger: logger), zoneWatch: zoneWatch)
    }

    // MARK: Life

    /// Restores the state of the last run, of any version of the agent.
    /// - Parameter geofences: Returns the saved set with an identity. nil if there is none.
    /// - Returns: The ordinal of the source's last handled event.
    func restore(geofences: (_ identity: UInt64) -> GeofenceSet? = { _ in nil }) -> Int64 {
        pipeline.restore(Result { try store.assumeIsolated { try $0.contents() } }, geofences: geofences)
        scheduleWakeUp()
        return pipeline.intake.sourceOrdinal
    }

    /// Handles a source's events until it ends or the task is cancelled.
    func consume(_ source: any PositionSource) async {
        pipeline.outlets.source = source
        let events = source.events()
        // The reduced rate that was requested before a restart stays in force.
        if pipeline.intake.tracker.requiredFixRate == .reduced { source.requestRate(.reduced) }
        do {
            for try await event in events { receive(event) }
        } catch is CancellationError {
            return
        } catch {
            pipeline.problems.raiseSourceFailed(source, error)
        }
        guard !Task.isCancelled else { return }
        if !hasStopped { pipeline.recordFinalPosition() }
        commit()
        sourceMonitor.hasEnded = true
        pipeline.problems.reportEnd(of: source)
    }

    /// Handles the events of a live source of the vehicle's signals until the task is cancelled.
    func consume(_ source: any VehicleSignalSource) async {
        signalMonitor.begin(source.name, uptimeMilliseconds: pipeline.time.uptimeMilliseconds)
        for await event in source.events() {
            guard !hasStopped else { return }
            receive(event, from: source.name)
        }
    }

    /// Records the last position, commits pending records and ends the event streams.
    func stop() {
        if !hasStopped { pipeline.recordFinalPosition() }
        hasStopped = true
        nextWakeUp?.task.cancel()
        beaconTask?.cancel()
        sourceMonitor.stop()
        pipeline.checkStoreFile(isFinal: true)
        // The next start then replays no journal.
        pipeline.commitSnapshot()
        pipeline.storeFile.stop()
        pipeline.outlets.finish()
    }

    // MARK: Inputs

    /// Handles an event of the source.
    func receive(_ event: SourceEvent) {
        pipeline.checkStoreFile()
        let time = pipeline.time
        if let battery = batteryPoll.input(at: event.receivedAt, uptimeMilliseconds: time.uptimeMilliseconds) {
            pipeline.process(battery)
        }
        pipeline.intake.sourceOrdinal = event.ordinal
        switch event.content {
        case .fix(let fix): receive(ReceivedFix(fix, hasReceiverDate: true))
        case .undatedFix(let fix): receive(ReceivedFix(fix, hasReceiverDate: false))
        case .signals(let signals): pipeline.process(.signals(signals))
        case .state(let state, let moment, let detail):
            observe(state, detail)
            pipeline.process(.source(state, at: moment))
        }
        scheduleWakeUp()
    }

    /// Handles an event of a source of the vehicle's signals.
    func receive(_ event: VehicleSignalEvent, from name: String) {
        let uptime = pipeline.time.uptimeMilliseconds
        switch event {
        case .signals(let signals):
            signalMonitor.observeSignals(of: name, uptimeMilliseconds: uptime)
            receive(signals, ofProgram: false)
        case .unavailable(let detail):
            signalMonitor.observeUnavailable(name, detail)
            pipeline.problems.logger.notice("no signals of the vehicle: \(name): \(detail)")
        }
    }

    /// Handles signals of the vehicle.
    /// - Parameter ofProgram: Whether a program on the vehicle reports them. It may report changes only, so its silence
    ///   is a fault only after it has reported a speed.
    func receive(_ signals: VehicleSignals, ofProgram: Bool) {
        if ofProgram, signals.wheelSpeedMetersPerSecond != nil {
            signalMonitor.observeSignals(
                of: signals.source.rawValue, uptimeMilliseconds: pipeline.time.uptimeMilliseconds)
        }
        reportSignals()
        pipeline.process(.signals(signals))
        scheduleWakeUp()
    }

    /// Raises or clears the problem of silent sources of signals.
    ///
    /// The problem says that the vehicle moves, so it neither begins nor ends while that is private.
    private func reportSignals() {
        let tracker = pipeline.intake.tracker
        guard !signalMonitor.isEmpty, !tracker.isPrivate, !tracker.isSuspended else { return }
        let silence = signalMonitor.silence(uptimeMilliseconds: pipeline.time.uptimeMilliseconds)
        pipeline.problems.reportSignals(silence: tracker.isMoving ? silence : nil)
    }

    private func receive(_ position: ReceivedFix) {
        reportSignals()
        sourceMonitor.observePosition(uptimeMilliseconds: pipeline.time.uptimeMilliseconds)
        pipeline.receive(position)
        pipeline.reportFrozenPosition()
    }

    /// Reports a lost receiver after a delay. A lost replay is at its end.
    private func observe(_ state: SourceState, _ detail: String) {
        let problems = pipeline.problems
        problems.reportSourceState(state, detail)
        sourceMonitor.observe(state, uptimeMilliseconds: pipeline.time.uptimeMilliseconds) { due in
            guard !usesVirtualTime else { return nil }
            // A newer state cancels this task, possibly after it woke up.
            return task(at: due) { _ in if !Task.isCancelled { problems.raiseSourceLost(detail) } }
        }
        if state != .lost { problems.registry.clear(.sourceLost) }
    }

    func apply(_ settings: TrackingSettings) {
        pipeline.apply(settings)
        observeBeacons()
        scheduleWakeUp()
    }

    /// Applies the rules of the schedule's zone if its files have changed.
    func refreshZone() {
        pipeline.refreshZone()
        scheduleWakeUp()
    }

    /// Puts a set of geofences into force. Does nothing if it is the same set.
    ///
    /// The next start must find the set of the saved state, which stays the old set until the next commit succeeds.
    /// Therefore the caller saves a new set before it applies it, and also keeps the one before it.
    func apply(_ new: GeofenceSet) {
        guard new.identity != geofences.identity || new.count != geofences.count else { return }
        pipeline.replaceGeofences(new)
        scheduleWakeUp()
    }

    func setOdometer(meters: Double) {
        pipeline.process(.odometer(meters: meters, at: pipeline.time.now))
        pipeline.commitSnapshot()
        scheduleWakeUp()
    }

    /// Takes samples and returns the best one. nil if no acceptable position arrived in time.
    func currentPosition(samples: Int, timeoutSeconds: Double, isPersisted: Bool) async -> LocationEvent? {
        guard !hasStopped else { return nil }
        let id = pipeline.outlets.requests.makeID()
        let request = PositionRequest(
            id: id, samples: samples, timeoutSeconds: timeoutSeconds, isPersisted: isPersisted)
        // The tracker's time may be that of a replay that has ended, so the machine's clock limits the wait too.
        let bound = Task { [weak self] in
            try? await Task.sleep(for: .seconds(timeoutSeconds + 1))
            await self?.run { $0.pipeline.outlets.requests.answer(id, with: nil) }
        }
        defer { bound.cancel() }
        return await withCheckedContinuation { continuation in
            pipeline.outlets.requests.wait(for: id, continuation)
            pipeline.process(.positionRequest(request, at: pipeline.time.now))
            scheduleWakeUp()
        }
    }

    /// Commits the pending records together with the state that produced them.
    func commit() {
        pipeline.commit()
        scheduleWakeUp()
    }

    // MARK: Wake-ups

    /// Starts a task for the next due time.
    func scheduleWakeUp() {
        guard !hasStopped, let due = pipeline.wakeUpPlan.due, due != nextWakeUp?.due else { return }
        nextWakeUp?.task.cancel()
        nextWakeUp = (task(at: due) { $0.wakeUp() }, due)
    }

    private func wakeUp() {
        nextWakeUp = nil
        pipeline.wakeUp()
        scheduleWakeUp()
    }

    /// Returns a task that acts at a time of the monotonic clock, unless it is cancelled.
    private func task(at due: Int64, _ action: @escaping @Sendable (isolated Recorder) -> Void) -> Task<Void, Never> {
        Task { [weak self, clock = pipeline.time.clock] in
            do { try await clock.sleep(untilUptimeMilliseconds: due) } catch { return }
            await self?.run(action)
        }
    }

    private func run(_ action: @Sendable (isolated Recorder) -> Void) {
        action(self)
    }

    /// Goes on above what another run of this device has published: at most so many records.
    func skipRecords(_ records: Int) {
        pipeline.intake.skipRecords(records)
        pipeline.commit()
    }

    // MARK: Observers

    /// Sets the function that decides whether to track while the schedule is closed.
    func setOffScheduleOverride(_ question: (@Sendable () -> Bool)?) {
        pipeline.setOffScheduleOverride(question)
        scheduleWakeUp()
    }

    /// Sets the function that is called after each schedule change, and when the ledger changes.
    func observeSchedule(_ observer: @escaping @Sendable () -> Void) {
        pipeline.outlets.onReportChange = observer
    }

    /// Sets the observer of the store's file, and starts the checks.
    func observeStoreFile(_ observer: @escaping @Sendable (StoreFileKeeper.Event) -> Void) {
        pipeline.storeFile.start(observer)
        pipeline.planWakeUp()
        scheduleWakeUp()
    }
}
