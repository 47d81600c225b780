import CivilTime
import Crontab
import Geodesy
import OdographModel

/// What is told: visits that begin, last and end.
extension GeofenceMonitor {
    /// It is certain that the vehicle is inside.
    mutating func enter(_ watch: inout GeofenceState, at time: Timestamp) {
        guard let rule = fences.ruleWithoutTexts(watch.slot) else { return }
        watch.phase = .inside
        watch.confirmingFixes = 0
        watch.isOutside = false
        apply(rule, to: &watch, at: time)
        guard watch.isScheduleOpen else { return }
        guard !watch.isInitial || rule.initialTrigger == .enter else { return }
        var notice = PendingGeofenceEvent(
            slot: watch.slot, action: .enter, occurredAt: watch.enteredAt, confirmedAt: time)
        notice.isInitial = watch.isInitial
        notice.reason = watch.enterReason
        pendingEvents.append(notice)
    }

    /// Takes over what a visit needs of the fence's rule.
    mutating func apply(_ rule: GeofenceRule, to watch: inout GeofenceState, at time: Timestamp) {
        (watch.isScheduleOpen, watch.nextScheduleChange) = scheduleWindow(of: rule, at: time)
        watch.dwellDue =
            rule.notifiesOnDwell ? watch.enteredAt.advanced(bySeconds: rule.loiteringDelaySeconds) : nil
        watch.overspeed = rule.speedLimitMetersPerSecond.map(OverspeedDetector.init(limitMetersPerSecond:))
    }

    /// It is certain that the vehicle is outside, or nobody looks any more.
    mutating func leave(
        _ watch: inout GeofenceState, at time: Timestamp, reason: GeofenceEvent.Reason?, confirmedAt: Timestamp
    ) {
        guard watch.isScheduleOpen else { return }
        let end = max(time, watch.enteredAt)
        if let excess = watch.overspeed?.finish(at: end) { emit(excess, of: watch, confirmedAt: confirmedAt) }
        var notice = PendingGeofenceEvent(
            slot: watch.slot, action: .exit, occurredAt: end, confirmedAt: confirmedAt)
        notice.reason = reason
        notice.dwellSeconds = end.seconds(since: watch.enteredAt)
        pendingEvents.append(notice)
    }

    mutating func emitDwell(_ watch: inout GeofenceState, confirmedAt time: Timestamp) {
        guard let due = watch.dwellDue else { return }
        watch.dwellDue = nil
        var notice = PendingGeofenceEvent(slot: watch.slot, action: .dwell, occurredAt: due, confirmedAt: time)
        notice.dwellSeconds = due.seconds(since: watch.enteredAt)
        pendingEvents.append(notice)
    }

    func pendingEvent(
        of excess: OverspeedDetector.OverspeedInterval, _ watch: GeofenceState, confirmedAt time: Timestamp
    ) -> PendingGeofenceEvent {
        var notice = PendingGeofenceEvent(
            slot: watch.slot, action: .overspeed, occurredAt: excess.start, confirmedAt: time)
        notice.peakSpeedMetersPerSecond = excess.peakMetersPerSecond
        notice.durationSeconds = excess.end.seconds(since: excess.start)
        return notice
    }

    mutating func emit(
        _ excess: OverspeedDetector.OverspeedInterval, of watch: GeofenceState, confirmedAt time: Timestamp
    ) {
        guard watch.isScheduleOpen else { return }
        pendingEvents.append(pendingEvent(of: excess, watch, confirmedAt: time))
    }

    // MARK: Windows

    func scheduleWindow(of slot: ShapeIndex.Slot, at time: Timestamp) -> (isOpen: Bool, change: Timestamp?) {
        fences.ruleWithoutTexts(slot).map { scheduleWindow(of: $0, at: time) } ?? (false, nil)
    }

    /// Whether a fence is watched at an instant, and when that changes.
    private func scheduleWindow(of rule: GeofenceRule, at time: Timestamp) -> (isOpen: Bool, change: Timestamp?) {
        guard let schedule = rule.schedule else { return (true, nil) }
        return (schedule.isOpen(at: time, in: zone), schedule.nextChange(after: time, in: zone))
    }

    /// The fence's schedule opens or closes while the vehicle is inside: the visit begins, or ends, there.
    mutating func applyScheduleChange(_ watch: inout GeofenceState, at time: Timestamp) {
        if watch.isScheduleOpen {
            leave(&watch, at: time, reason: .schedule, confirmedAt: time)
            (watch.isScheduleOpen, watch.nextScheduleChange) = scheduleWindow(of: watch.slot, at: time)
            return
        }
        watch.enteredAt = time
        watch.isInitial = true
        watch.enterReason = .schedule
        enter(&watch, at: time)
    }

    // MARK: What falls due

    /// Whoever moved when last seen is not known to be there after so many seconds.
    private static let maximumPositionAgeSeconds = 300.0

    /// When something falls due by itself; nil for nothing.
    var due: Timestamp? {
        guard !states.isEmpty, !hasGap, hasMatchingSet, let last else { return nil }
        var due: Timestamp?
        for watch in states {
            guard let one = watch.due, due.map({ one < $0 }) ?? true else { continue }
            if !last.isStanding, one.seconds(since: last.time) > Self.maximumPositionAgeSeconds { continue }
            due = one
        }
        return due
    }

    /// Does what is due at an instant.
    mutating func processDeadlines(at time: Timestamp) {
        for index in states.indices {
            guard let due = states[index].due, due <= time else { continue }
            var watch = states[index]
            if let change = watch.nextScheduleChange, change <= time {
                applyScheduleChange(&watch, at: change)
            } else {
                emitDwell(&watch, confirmedAt: time)
            }
            states[index] = watch
        }
    }
}
