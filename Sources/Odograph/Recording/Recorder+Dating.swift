import CivilTime
import Logging
import Positioning
import Tracking

/// Keeps positions safe that wait for their date, and gives them to the tracker once there is one.
extension Recorder {
    /// While positions wait, the machine's clock is looked at this often, seconds.
    private static let askSeconds = 10.0

    /// Goes on after a start: what waited for its date in an earlier boot of the machine is recorded without.
    func start(inBoot boot: String?) {
        areRecordsLate = tracker.hasUndated
        take(.started(at: now(), boot: boot))
        commitLateRecords()
        if tracker.hasUndated { undatedWait.goOn(uptimeMilliseconds: now().uptimeMilliseconds) }
    }

    /// A position of the source.
    func take(_ position: UndatedFix) {
        if positionsSinceUptime != nil { positionsSinceUptime = clock.now().uptimeMilliseconds }
        if position.hasReceiverDate { gate.observe(position.fix) }
        dateWaiting(at: position.fix.received)
        if let fix = tracker.dated(position) { return take(.fix(fix)) }
        lastMoment = position.fix.received
        areRecordsLate = true
        if gate.schedule.isPrivate { passSchedule(before: .undated(position)) }
        handle(.undated(position))
        commitLateRecords()
        dateWaiting(at: position.fix.received)
        // Its date was the one that made the time certain.
        if let fix = tracker.dated(position) { return take(.fix(fix)) }
        saveUndated(at: position.fix.received)
        scheduleWakeUp()
    }

    /// Before anything else is handled, what waited for its date is, if there is one now.
    func date(before input: TrackerInput) {
        if case .started = input { return }
        dateWaiting(at: input.moment)
    }

    /// How long until the machine's clock is looked at again, seconds; nil where nothing waits for it.
    var secondsUntilTimeIsAsked: Double? { tracker.hasUndated ? Self.askSeconds : nil }

    /// All in one commit: killed before it, everything still waits; killed after it, nothing does.
    private func dateWaiting(at moment: Moment) {
        guard !isDating, tracker.hasUndated else { return }
        let fixes = tracker.takeUndated(at: moment)
        guard !fixes.isEmpty else { return }
        isDating = true
        for fix in fixes {
            // Their date may end private time only for what comes after them.
            if isPrivate { handle(.fix(fix)) } else { take(.fix(fix)) }
        }
        isDating = false
        undatedWait.end()
        pending.wantsSnapshot = true
        commit()
        problems.settle(.timeUnknown)
        logger.notice(
            "the time is known: positions that waited for it are dated", metadata: ["positions": "\(fixes.count)"])
    }

    private func saveUndated(at moment: Moment) {
        guard tracker.hasUndated else { return }
        let uptime = moment.uptimeMilliseconds
        undatedWait.goOn(uptimeMilliseconds: uptime)
        if undatedWait.isLong(uptimeMilliseconds: uptime) { complain() }
        // In private time they wait in memory only.
        guard !isPrivate else { return }
        guard undatedWait.isSaveDue(uptimeMilliseconds: uptime, by: settings) else { return }
        undatedWait.saved(uptimeMilliseconds: uptime)
        pending.wantsInputs = true
        commit()
    }

    private func commitLateRecords() {
        if pending.count > 0 { commit() }
        areRecordsLate = false
    }

    private func complain() {
        let sentence =
            "positions wait for their date: the receiver tells none, and the machine's clock is not set; "
            + "have the receiver send RMC or ZDA sentences, or enable systemd-timesyncd or chrony"
        problems.raise(.timeUnknown, sentence, at: .warning, in: logger)
    }
}
