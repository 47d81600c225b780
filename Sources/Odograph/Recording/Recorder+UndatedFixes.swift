import OdographCivilTime
import Logging
import OdographModel
import OdographPositioning
import OdographTracking

/// Saves undated fixes, and passes them to the tracker when their date is known.
extension Recorder {
    /// The time between two checks of the machine's clock while fixes wait, seconds.
    private static let clockPollSeconds = 10.0

    /// Continues after a start. Fixes that waited in an earlier boot of the machine are recorded without a date.
    package func start(inBoot boot: String?) {
        areRecordsLate = tracker.hasUndatedFixes
        process(.started(at: now(), boot: boot))
        commitLateRecords()
        if tracker.hasUndatedFixes { undatedFixTimer.startIfNeeded(uptimeMilliseconds: now().uptimeMilliseconds) }
    }

    /// Handles a position of the source.
    package func receive(_ position: ReceivedFix) {
        if lastSourceEventUptime != nil { lastSourceEventUptime = clock.now().uptimeMilliseconds }
        if position.hasReceiverDate { gate.observe(position.fix) }
        dateUndatedFixes(at: position.fix.received)
        if let fix = tracker.dated(position) { return process(.fix(fix)) }
        lastInputTime = position.fix.received
        areRecordsLate = true
        if gate.schedule.hasPrivateTime { advanceSchedule(before: .undated(position)) }
        handle(.undated(position))
        commitLateRecords()
        dateUndatedFixes(at: position.fix.received)
        // The fix itself provided the date that made the time known.
        if let fix = tracker.dated(position) { return process(.fix(fix)) }
        saveUndatedFixes(at: position.fix.received)
        scheduleWakeUp()
    }

    /// Dates the waiting fixes before another input is handled, if the time is known.
    package func dateUndatedFixes(before input: TrackerInput) {
        if case .started = input { return }
        dateUndatedFixes(at: input.clockReading)
    }

    /// The time until the next check of the machine's clock, seconds. nil if no fix waits.
    package var secondsUntilClockPoll: Double? { tracker.hasUndatedFixes ? Self.clockPollSeconds : nil }

    /// Dates the waiting fixes in one commit: after a kill, all of them still wait, or none.
    private func dateUndatedFixes(at moment: ClockReading) {
        guard !isDatingUndatedFixes, tracker.hasUndatedFixes else { return }
        let fixes = tracker.takeDatedFixes(at: moment)
        guard !fixes.isEmpty else { return }
        isDatingUndatedFixes = true
        for fix in fixes {
            // Their date ends private time only for later inputs.
            if isPrivate { handle(.fix(fix)) } else { process(.fix(fix)) }
        }
        isDatingUndatedFixes = false
        undatedFixTimer.reset()
        pending.needsSnapshot = true
        commit()
        problems.clear(.timeUnknown)
        logger.notice(
            "the time is known: pending positions now have a date", metadata: ["positions": "\(fixes.count)"])
    }

    private func saveUndatedFixes(at moment: ClockReading) {
        guard tracker.hasUndatedFixes else { return }
        let uptime = moment.uptimeMilliseconds
        undatedFixTimer.startIfNeeded(uptimeMilliseconds: uptime)
        if undatedFixTimer.hasTimedOut(uptimeMilliseconds: uptime) { raiseTimeUnknown() }
        // In private time they stay in memory.
        guard !isPrivate else { return }
        guard undatedFixTimer.isSaveDue(uptimeMilliseconds: uptime, by: settings) else { return }
        undatedFixTimer.markSaved(uptimeMilliseconds: uptime)
        pending.needsInputs = true
        commit()
    }

    private func commitLateRecords() {
        if pending.count > 0 { commit() }
        areRecordsLate = false
    }

    private func raiseTimeUnknown() {
        let sentence =
            "positions have no date: the receiver reports no date, and the machine's clock is not set; "
            + "make the receiver send RMC or ZDA sentences, or enable systemd-timesyncd or chrony"
        problems.raise(.timeUnknown, sentence, at: .warning, in: logger)
    }
}
