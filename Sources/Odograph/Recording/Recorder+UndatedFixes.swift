import CivilTime
import Logging
import Positioning
import Tracking

/// Keeps positions safe that wait for their date, and gives them to the tracker once there is one.
extension Recorder {
    /// While positions wait, the machine's clock is looked at this often, seconds.
    private static let clockPollSeconds = 10.0

    /// Goes on after a start: what waited for its date in an earlier boot of the machine is recorded without.
    package func start(inBoot boot: String?) {
        areRecordsLate = tracker.hasUndatedFixes
        process(.started(at: now(), boot: boot))
        commitLateRecords()
        if tracker.hasUndatedFixes { undatedFixTimer.startIfNeeded(uptimeMilliseconds: now().uptimeMilliseconds) }
    }

    /// A position of the source.
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
        // Its date was the one that made the time certain.
        if let fix = tracker.dated(position) { return process(.fix(fix)) }
        saveUndatedFixes(at: position.fix.received)
        scheduleWakeUp()
    }

    /// Before anything else is handled, what waited for its date is, if there is one now.
    package func dateUndatedFixes(before input: TrackerInput) {
        if case .started = input { return }
        dateUndatedFixes(at: input.clockReading)
    }

    /// How long until the machine's clock is looked at again, seconds; nil where nothing waits for it.
    package var secondsUntilClockPoll: Double? { tracker.hasUndatedFixes ? Self.clockPollSeconds : nil }

    /// All in one commit: killed before it, everything still waits; killed after it, nothing does.
    private func dateUndatedFixes(at moment: ClockReading) {
        guard !isDatingUndatedFixes, tracker.hasUndatedFixes else { return }
        let fixes = tracker.takeDatedFixes(at: moment)
        guard !fixes.isEmpty else { return }
        isDatingUndatedFixes = true
        for fix in fixes {
            // Their date may end private time only for what comes after them.
            if isPrivate { handle(.fix(fix)) } else { process(.fix(fix)) }
        }
        isDatingUndatedFixes = false
        undatedFixTimer.reset()
        pending.needsSnapshot = true
        commit()
        problems.clear(.timeUnknown)
        logger.notice(
            "the time is known: positions that waited for it are dated", metadata: ["positions": "\(fixes.count)"])
    }

    private func saveUndatedFixes(at moment: ClockReading) {
        guard tracker.hasUndatedFixes else { return }
        let uptime = moment.uptimeMilliseconds
        undatedFixTimer.startIfNeeded(uptimeMilliseconds: uptime)
        if undatedFixTimer.hasTimedOut(uptimeMilliseconds: uptime) { raiseTimeUnknown() }
        // In private time they wait in memory only.
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
            "positions wait for their date: the receiver tells none, and the machine's clock is not set; "
            + "have the receiver send RMC or ZDA sentences, or enable systemd-timesyncd or chrony"
        problems.raise(.timeUnknown, sentence, at: .warning, in: logger)
    }
}
