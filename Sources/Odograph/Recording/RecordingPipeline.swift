import Logging
import OdographModel
import OdographPositioning
import OdographStore
import OdographTracking

/// Takes each input through its steps: waiting fixes get their date, the schedule advances, the tracker handles the
/// input, and the records are committed.
///
/// It is on the store's thread. It starts no task and waits for nothing; ``Recorder`` calls it.
final class RecordingPipeline {
    let problems: RecordingProblems
    var time: RecordingTime
    var intake: Intake
    var schedule: ScheduleControl
    var outlets: RecordOutlets
    var storeFile: StoreFileKeeper
    private(set) var wakeUpPlan = WakeUpPlan()
    private var undatedFixTimer = UndatedFixTimer()
    private var zoneWatch: ZoneWatch
    /// Whether the schedule knew the time when it last advanced.
    private var isTimeKnown = true
    private let committer: RecordCommitter

    init(
        _ store: AgentStore, deviceID: String, settings: TrackingSettings, time: RecordingTime, outlets: RecordOutlets,
        problems: RecordingProblems, zoneWatch: ZoneWatch = ZoneWatch()
    ) {
        self.zoneWatch = zoneWatch
        self.time = time
        self.outlets = outlets
        self.problems = problems
        intake = Intake(deviceID: deviceID, settings: settings, seed: store.epochIdentity.seed)
        schedule = ScheduleControl(settings.schedule, isReplay: time.usesVirtualTime)
        storeFile = StoreFileKeeper(store: store, problems: problems)
        committer = RecordCommitter(store: store, problems: problems)
    }

    // MARK: Inputs

    func process(_ input: TrackerInput) {
        if case .started = input {} else { dateUndatedFixes(at: input.clockReading) }
        begin(input.clockReading)
        advanceSchedule(before: input)
        handle(input)
        commitIfDue()
    }

    /// Handles a position of the source.
    func receive(_ position: ReceivedFix) {
        refreshZone()
        if position.hasReceiverDate { schedule.gate.observe(position.fix) }
        dateUndatedFixes(at: position.fix.received)
        if let fix = intake.tracker.dated(position) { return processDated(fix) }
        begin(position.fix.received)
        intake.pending.phase = .late
        if schedule.gate.schedule.hasPrivateTime { advanceSchedule(before: .undated(position)) }
        handle(.undated(position))
        commitLateRecords()
        dateUndatedFixes(at: position.fix.received)
        // The fix itself provided the date that made the time known.
        if let fix = intake.tracker.dated(position) { return processDated(fix) }
        noteUndated(position)
        saveUndatedFixes(at: position.fix.received)
        planWakeUp()
    }

    private func processDated(_ fix: Fix) {
        if undatedFixTimer.isRunning {
            undatedFixTimer.reset()
            problems.registry.clear(.timeUnknown)
        }
        process(.fix(fix))
    }

    /// Reports that the date has not been known for long, also if the fixes do not wait for it: without a date the
    /// schedule may forbid to keep them.
    private func noteUndated(_ position: ReceivedFix) {
        let uptime = position.fix.received.uptimeMilliseconds
        undatedFixTimer.startIfNeeded(uptimeMilliseconds: uptime)
        guard undatedFixTimer.hasTimedOut(uptimeMilliseconds: uptime) else { return }
        problems.raiseTimeUnknown(hasReceiverDate: position.hasReceiverDate)
    }

    /// The time after which a repeated position is a problem, seconds. A receiver may lose its satellites for a moment.
    private static let frozenPositionSeconds = 60.0

    /// Raises or clears the problem of a receiver that repeats its position while the vehicle moves.
    ///
    /// The problem says that the vehicle moves, so it neither begins nor ends while that is private.
    func reportFrozenPosition() {
        guard !intake.tracker.isPrivate, !intake.tracker.isSuspended else { return }
        let seconds = intake.tracker.positionFrozenSeconds
        if seconds.map({ $0 < Self.frozenPositionSeconds }) ?? false { return }
        problems.reportFrozenPosition(forSeconds: seconds)
    }

    /// Notes the time of an input, at which its records are captured.
    private func begin(_ moment: ClockReading) {
        time.lastInput = moment
        intake.pending.captureUptimeMilliseconds = time.captureUptimeMilliseconds
    }

    func recordFinalPosition() {
        // Without an input in this run, the previous run already recorded its final position.
        guard time.lastInput != nil else { return }
        execute(intake.recordFinalPosition(at: time.now, uptimeMilliseconds: time.uptimeMilliseconds))
    }

    /// Passes an input to the tracker and executes the effects.
    private func handle(_ input: TrackerInput) {
        let effects = intake.handle(input, uptimeMilliseconds: time.uptimeMilliseconds)
        execute(effects.outputs)
        problems.reportPosition(
            isLost: intake.tracker.isPositionLost, isImplausible: intake.tracker.isPositionImplausible,
            isJammed: intake.tracker.isReceiverJammed)
        storeFile.monitor.observe(input, by: intake.tracker)
        if effects.isLossResolved { problems.registry.clear(.stateLost) }
        if effects.needsCommit { commit() }
    }

    private func execute(_ outputs: [TrackerOutput]) {
        outlets.execute(outputs, annotations: intake.annotations)
    }

    // MARK: Settings and schedule

    func apply(_ settings: TrackingSettings) {
        var new = settings
        // The settings may have been read before the zone's files changed.
        if let rules = newZoneRules(of: new.schedule) { new.schedule.zone = rules }
        let old = intake.settings.schedule
        intake.settings = new
        let geofences = intake.tracker.activeGeofences
        if old.zone != new.schedule.zone, geofences.count > 0 { replaceGeofences(geofences) }
        if old != new.schedule {
            execute(schedule.apply(new.schedule, state: intake.tracker.schedule, now: time.now))
        }
        applyConfiguration()
        planWakeUp()
    }

    /// Applies the rules of the schedule's zone if its files have changed.
    func refreshZone() {
        guard let rules = newZoneRules(of: intake.settings.schedule) else { return }
        problems.logger.notice(
            "the rules of the schedule's time zone have changed", metadata: ["zone": "\(rules.identifier)"])
        apply(intake.settings)
        outlets.onReportChange?()
    }

    private func newZoneRules(of schedule: TrackingSchedule) -> ZoneRules? {
        // A replay keeps the zone with which it began.
        time.usesVirtualTime ? nil : zoneWatch.newRules(of: schedule)
    }

    private func applyConfiguration() {
        let core = intake.settings.core
        if intake.tracker.configuration != core { process(.configuration(core, at: time.now)) }
    }

    func replaceGeofences(_ new: GeofenceSet) {
        execute(intake.replaceGeofences(new, at: time.now, uptimeMilliseconds: time.uptimeMilliseconds))
        commit()
    }

    /// Sets the function that decides whether to track while the schedule is closed.
    func setOffScheduleOverride(_ question: (@Sendable () -> Bool)?) {
        for change in schedule.setOverride(question, now: time.now) { execute(change) }
        planWakeUp()
    }

    /// Applies the schedule changes that are due before an input.
    private func advanceSchedule(before input: TrackerInput) {
        guard let moment = schedule.time(before: input) else { return }
        execute(schedule.gate.advance(to: moment))
        for change in schedule.updateOverride(at: moment) { execute(change) }
        reportTimeKnown(at: moment)
    }

    /// Requests a report when the time becomes known or unknown, which need not change the state of the schedule.
    private func reportTimeKnown(at moment: ClockReading) {
        let isKnown = schedule.gate.isTimeKnown(at: moment)
        guard isKnown != isTimeKnown else { return }
        isTimeKnown = isKnown
        outlets.onReportChange?()
    }

    private func execute(_ changes: [ScheduleGate.Change]) {
        for change in changes { execute(change) }
        guard let last = changes.last else { return }
        // Asked at the instant of the change, so that a `true` leaves no gap in the tracking.
        for change in schedule.updateOverride(at: last.clockReading) { execute(change) }
    }

    private func execute(_ change: ScheduleGate.Change) {
        handle(.schedule(change.state, at: change.clockReading))
        intake.requestSnapshot(uptimeMilliseconds: time.uptimeMilliseconds)
        commit()
        outlets.onReportChange?()
    }

    // MARK: Undated fixes

    /// Dates the waiting fixes in one commit: after a kill, all of them still wait, or none.
    private func dateUndatedFixes(at moment: ClockReading) {
        let fixes = intake.takeDatedFixes(at: moment)
        guard !fixes.isEmpty else { return }
        let phase = intake.pending.phase
        intake.pending.phase = .dating
        for fix in fixes {
            // Their date ends private time only for later inputs.
            if intake.tracker.isPrivate { handle(.fix(fix)) } else { process(.fix(fix)) }
        }
        intake.pending.phase = phase
        undatedFixTimer.reset()
        commitSnapshot()
        problems.clearTimeUnknown(positions: fixes.count)
    }

    private func saveUndatedFixes(at moment: ClockReading) {
        guard intake.tracker.hasUndatedFixes else { return }
        let uptime = moment.uptimeMilliseconds
        // In private time they stay in memory. While tracking is suspended, no further ones wait.
        guard !intake.tracker.isPrivate, !intake.tracker.isSuspended,
            undatedFixTimer.isSaveDue(uptimeMilliseconds: uptime, by: intake.settings)
        else { return }
        undatedFixTimer.markSaved(uptimeMilliseconds: uptime)
        intake.pending.needsInputs = true
        commit()
    }

    // MARK: Commits

    /// Commits the pending records together with the state that produced them, and plans the next wake-up.
    func commit() {
        guard intake.pending.phase != .dating else { return }
        checkStoreFile()
        if committer.commit(&intake, to: &outlets, at: time) { return commit() }
        // A failed commit is tried again.
        planWakeUp()
    }

    /// Commits with a snapshot, even if there is no record.
    func commitSnapshot() {
        intake.pending.needsSnapshot = true
        commit()
    }

    private func commitIfDue() {
        let interval = intake.settings.commitIntervalSeconds
        let isDue = intake.pending.isDue(intervalSeconds: interval, uptimeMilliseconds: time.uptimeMilliseconds)
        if isDue { commit() } else { planWakeUp() }
    }

    private func commitLateRecords() {
        if intake.pending.count > 0 { commit() }
        intake.pending.phase = .current
    }

    // MARK: What falls due

    /// Plans a wake-up for the next commit, for a tick of the tracker or of the schedule, and for a check of the file.
    func planWakeUp() {
        let uptime = time.uptimeMilliseconds
        wakeUpPlan.add(tickDue: tickDue(uptime), checkDue: storeFile.due(uptimeMilliseconds: uptime))
    }

    private func tickDue(_ uptime: Int64) -> Int64? {
        let due = intake.pending.due(intervalSeconds: intake.settings.commitIntervalSeconds)
        if time.usesVirtualTime { return due }
        let seconds = [
            intake.tracker.secondsUntilDue(at: time.now), schedule.gate.secondsUntilDue(at: time.now),
            intake.tracker.hasUndatedFixes ? UndatedFixTimer.clockPollSeconds : nil,
        ].compactMap { $0 }.min()
        return [due, seconds.map { uptime + Int64(($0 * 1000).rounded(.up)) }].compactMap { $0 }.min()
    }

    func wakeUp() {
        wakeUpPlan.endWait()
        checkStoreFile()
        guard wakeUpPlan.takeTick(uptimeMilliseconds: time.uptimeMilliseconds) else { return planWakeUp() }
        refreshZone()
        if time.usesVirtualTime { commitIfDue() } else { process(.tick(time.now)) }
    }

    // MARK: The state of the last run

    /// Restores the state of the last run, of any version of the agent.
    func restore(_ contents: Result<StoreContents, any Error>, geofences: (_ identity: UInt64) -> GeofenceSet?) {
        do {
            let stored = PreviousRunState(try contents.get())
            intake.pending.isAfterLoss = stored.lostRecords > 0
            // Only the first tracker of a database uses the database's seed, so that no identifier is used twice.
            if !stored.isEmpty { load(stored, geofences: geofences) }
        } catch {
            intake.loadNothing(because: error)
            problems.raiseStateLost(intake.stateLoss)
        }
        resumeAfterLoading()
    }

    private func load(_ stored: PreviousRunState, geofences: (_ identity: UInt64) -> GeofenceSet?) {
        // The revisions that continue the published timeline are made now.
        intake.pending.captureUptimeMilliseconds = time.uptimeMilliseconds
        // The dates of a replay are not those of the machine.
        let now = !time.usesVirtualTime && time.now.isSystemTimeTrusted ? time.now.systemTime : nil
        let loaded = intake.load(
            stored, geofences: geofences, at: now, uptimeMilliseconds: time.uptimeMilliseconds)
        if !loaded.hasGeofences { problems.warnOfMissingGeofences() }
        schedule.restart(intake.settings.schedule, state: intake.tracker.schedule)
        execute(loaded.outputs)
        problems.raiseStateLost(intake.stateLoss)
    }

    /// Begins this run after the state of the last one is loaded.
    private func resumeAfterLoading() {
        intake.beginRun()
        // A replay continues as if there were no restart. A live source may have missed events.
        if !time.usesVirtualTime {
            schedule.gate.handleRestart()
            // Fixes that waited in an earlier boot of the machine are recorded without a date.
            intake.pending.phase = intake.tracker.hasUndatedFixes ? .late : .current
            process(.started(at: time.now, boot: time.boot))
            commitLateRecords()
            if intake.tracker.hasUndatedFixes {
                undatedFixTimer.startIfNeeded(uptimeMilliseconds: time.uptimeMilliseconds)
            }
            advanceSchedule(before: .tick(time.now))
            planWakeUp()
        }
        applyConfiguration()
    }

    // MARK: The store's file

    /// Checks the file if the check is due.
    func checkStoreFile(isFinal: Bool = false) {
        let place = storeFile.beginCheck(isFinal: isFinal, uptimeMilliseconds: time.uptimeMilliseconds)
        switch place {
        case nil: return
        case .memory(let run): reopenFile(run)
        case .file, .lostFile: storeFile.verify(now: time.now.systemTime)
        }
        storeFile.observer?(.fileChecked)
    }

    /// Tries to use a file that was unusable. No input is handled meanwhile.
    private func reopenFile(_ run: MemoryRun) {
        do {
            guard let contents = try storeFile.reopen(now: time.now.systemTime) else {
                try storeFile.moveIntoFile(snapshot: nil, now: time.now.systemTime)
                return storeFile.handleReopened([:])
            }
            let earlier = PreviousRunState(contents)
            let joined = JoinedRun(intake.tracker, in: run, after: earlier, configuration: intake.settings.core)
            let snapshot = try intake.snapshot(of: joined.tracker)
            try storeFile.moveIntoFile(snapshot: snapshot, now: time.now.systemTime)
            if joined.isEarlierOnly {
                let inForce = intake.tracker.activeGeofences
                load(earlier) { $0 == inForce.identity ? inForce : nil }
                // The rate was requested at the start only, for the empty state.
                execute([.fixRate(intake.tracker.requiredFixRate)])
                resumeAfterLoading()
            } else {
                execute(intake.adopt(joined, uptimeMilliseconds: time.uptimeMilliseconds))
                problems.raiseStateLost(intake.stateLoss)
            }
            storeFile.handleReopened(contents.documents)
            commit()
        } catch {
            problems.raiseStoreUnusable(error)
        }
    }
}
