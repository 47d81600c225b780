import OdographModel
import OdographPositioning
import OdographTracking

/// Positions whose date is not known yet: they wait for it, in the tracker.
extension InputPipeline {
    /// Handles a position of the source.
    func receive(_ position: ReceivedFix) {
        refreshZone()
        if position.hasReceiverDate { schedule.gate.observe(position.fix) }
        dateUndatedFixes(at: position.fix.received)
        let isDated = intake.tracker.dated(position) != nil
        // The position itself can provide the date that makes the time known.
        if !isDated { receiveUndated(position) }
        if let fix = intake.tracker.dated(position) { return processDated(fix) }
        reportTimeUnknownIfDue(position)
        saveUndatedFixes(at: position.fix.received)
        planWakeUp()
    }

    private func receiveUndated(_ position: ReceivedFix) {
        begin(position.fix.received)
        intake.pending.phase = .late
        if schedule.gate.schedule.hasPrivateTime { advanceSchedule(before: .undated(position)) }
        handle(.undated(position))
        commitLateRecords()
        dateUndatedFixes(at: position.fix.received)
    }

    private func processDated(_ fix: Fix) {
        if undatedFixTimer.isRunning {
            undatedFixTimer.reset()
            problems.registry.clear(.timeUnknown)
        }
        process(.fix(fix))
    }

    /// Dates the waiting fixes in one commit: after a kill, all of them still wait, or none.
    func dateUndatedFixes(at moment: ClockReading) {
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

    /// Reports that the date has not been known for long, also if the fixes do not wait for it: without a date the
    /// schedule may forbid to keep them.
    private func reportTimeUnknownIfDue(_ position: ReceivedFix) {
        let uptime = position.fix.received.uptimeMilliseconds
        undatedFixTimer.startIfNeeded(uptimeMilliseconds: uptime)
        guard undatedFixTimer.hasTimedOut(uptimeMilliseconds: uptime) else { return }
        problems.raiseTimeUnknown(hasReceiverDate: position.hasReceiverDate)
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
}
