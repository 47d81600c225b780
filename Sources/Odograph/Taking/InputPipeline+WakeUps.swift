import OdographTracking

/// The work that falls due without an input.
extension InputPipeline {
    /// Plans a wake-up for the next commit, for a tick of the tracker or of the schedule, and for a check of the file.
    func planWakeUp() {
        let uptime = time.uptimeMilliseconds
        wakeUpPlan.add(tickDue: tickDue(uptime), checkDue: storeFile.due(uptimeMilliseconds: uptime))
        guard !hasStopped else { return }
        wakeUpTimer.set(wakeUpPlan.due, clock: time.clock) { [weak self] in await self?.wakeUp() }
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

    private func wakeUp() {
        guard wakeUpTimer.takeExpired() else { return }
        wakeUpPlan.endWait()
        checkStoreFile()
        if wakeUpPlan.takeTick(uptimeMilliseconds: time.uptimeMilliseconds) {
            refreshZone()
            if usesVirtualTime { commitIfDue() } else { process(.tick(time.now)) }
        } else {
            planWakeUp()
        }
    }

    /// Acts on the pipeline's thread.
    func run(_ action: @Sendable (isolated InputPipeline) -> Void) {
        action(self)
    }
}
