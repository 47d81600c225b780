import CivilTime
import Crontab
import Geodesy

/// What is told: visits that begin, last and end.
extension GeofenceMonitor {
    /// It is certain that the vehicle is inside.
    mutating func enter(_ watch: inout FenceWatch, at time: Timestamp) {
        guard let rule = fences.bareRule(watch.slot) else { return }
        watch.phase = .inside
        watch.count = 0
        watch.isOutside = false
        apply(rule, to: &watch, at: time)
        guard watch.isOpen else { return }
        guard !watch.isInitial || rule.initial == .enter else { return }
        var notice = GeofenceNotice(
            slot: watch.slot, action: .enter, occurredAt: watch.enteredAt, confirmedAt: time)
        notice.isInitial = watch.isInitial
        notice.reason = watch.enterReason
        notices.append(notice)
    }

    /// Takes over what a visit needs of the fence's rule.
    mutating func apply(_ rule: GeofenceRule, to watch: inout FenceWatch, at time: Timestamp) {
        (watch.isOpen, watch.windowChange) = window(of: rule, at: time)
        watch.dwellDue =
            rule.notifiesOnDwell ? watch.enteredAt.advanced(bySeconds: rule.loiteringDelaySeconds) : nil
        watch.speed = rule.speedLimitMetersPerSecond.map(SpeedWatch.init(limitMetersPerSecond:))
    }

    /// It is certain that the vehicle is outside, or nobody looks any more.
    mutating func leave(
        _ watch: inout FenceWatch, at time: Timestamp, reason: GeofenceEvent.Reason?, confirmedAt: Timestamp
    ) {
        guard watch.isOpen else { return }
        let end = max(time, watch.enteredAt)
        if let excess = watch.speed?.finish(at: end) { tell(excess, of: watch, confirmedAt: confirmedAt) }
        var notice = GeofenceNotice(
            slot: watch.slot, action: .exit, occurredAt: end, confirmedAt: confirmedAt)
        notice.reason = reason
        notice.dwellSeconds = end.seconds(since: watch.enteredAt)
        notices.append(notice)
    }

    mutating func dwell(_ watch: inout FenceWatch, confirmedAt time: Timestamp) {
        guard let due = watch.dwellDue else { return }
        watch.dwellDue = nil
        var notice = GeofenceNotice(slot: watch.slot, action: .dwell, occurredAt: due, confirmedAt: time)
        notice.dwellSeconds = due.seconds(since: watch.enteredAt)
        notices.append(notice)
    }

    func notice(of excess: SpeedWatch.Excess, _ watch: FenceWatch, confirmedAt time: Timestamp) -> GeofenceNotice {
        var notice = GeofenceNotice(
            slot: watch.slot, action: .overspeed, occurredAt: excess.start, confirmedAt: time)
        notice.peakSpeedMetersPerSecond = excess.peakMetersPerSecond
        notice.durationSeconds = excess.end.seconds(since: excess.start)
        return notice
    }

    mutating func tell(_ excess: SpeedWatch.Excess, of watch: FenceWatch, confirmedAt time: Timestamp) {
        guard watch.isOpen else { return }
        notices.append(notice(of: excess, watch, confirmedAt: time))
    }

    // MARK: Windows

    func window(of slot: FenceIndex.Slot, at time: Timestamp) -> (isOpen: Bool, change: Timestamp?) {
        fences.bareRule(slot).map { window(of: $0, at: time) } ?? (false, nil)
    }

    /// Whether a fence is watched at an instant, and when that changes.
    private func window(of rule: GeofenceRule, at time: Timestamp) -> (isOpen: Bool, change: Timestamp?) {
        guard let schedule = rule.schedule else { return (true, nil) }
        return (schedule.isWithin(at: time, in: zone), schedule.nextChange(after: time, in: zone))
    }

    /// The fence's schedule opens or closes while the vehicle is inside: the visit begins, or ends, there.
    mutating func turnWindow(_ watch: inout FenceWatch, at time: Timestamp) {
        if watch.isOpen {
            leave(&watch, at: time, reason: .schedule, confirmedAt: time)
            (watch.isOpen, watch.windowChange) = window(of: watch.slot, at: time)
            return
        }
        watch.enteredAt = time
        watch.isInitial = true
        watch.enterReason = .schedule
        enter(&watch, at: time)
    }

    // MARK: What falls due

    /// Whoever moved when last seen is not known to be there after so many seconds.
    private static let trustSeconds = 300.0

    /// When something falls due by itself; nil for nothing.
    var due: Timestamp? {
        guard !watches.isEmpty, !isBlind, isAwake, let last else { return nil }
        var due: Timestamp?
        for watch in watches {
            guard let one = watch.due, due.map({ one < $0 }) ?? true else { continue }
            if !last.isStanding, one.seconds(since: last.time) > Self.trustSeconds { continue }
            due = one
        }
        return due
    }

    /// Does what is due at an instant.
    mutating func fallDue(at time: Timestamp) {
        for index in watches.indices {
            guard let due = watches[index].due, due <= time else { continue }
            var watch = watches[index]
            if let change = watch.windowChange, change <= time {
                turnWindow(&watch, at: change)
            } else {
                dwell(&watch, confirmedAt: time)
            }
            watches[index] = watch
        }
    }
}
