import OdographCivilTime

/// The effect of the schedule on tracking.
extension Tracker {
    /// Whether no position is recorded: tracking is disabled, or the schedule is closed in mode `stop`. The one place
    /// that decides this; ``PrivacyBarrier`` decides for mode `private`.
    public var isSuspended: Bool { !configuration.isEnabled || agent.schedule.rule?.mode == .stop }

    mutating func apply(_ new: ScheduleGate.State, at now: Timestamp, into outputs: inout [TrackerOutput]) {
        guard new != agent.schedule else { return }
        let old = agent.schedule
        let isTurn = old.isOpen != new.isOpen
        if !new.recordsPositions { refuseRequests(into: &outputs) }
        // The position at closing is still inside the schedule; at opening it is inside already.
        if isTurn, old.isOpen { recordLastKnownPosition(.schedule, at: now, into: &outputs) }
        // Positions from here on are private: visits end with the last known one.
        if new.rule?.mode == .private { emit(geofences.endVisits(at: now), at: now, into: &outputs) }
        if new.rule?.mode == .stop { geofences.interrupt() }
        updateTimeline(from: old.rule, to: new.rule, at: now, into: &outputs)
        agent.schedule = new
        // Undated positions may be of private time.
        if isPrivate { discardUndatedFixes() }
        if old.rule?.mode == .private, new.rule?.mode != .private {
            self = withoutPositions()
            agent.owesOpening = new.isOpen
        } else if isTurn, new.isOpen {
            recordLastKnownPosition(.schedule, at: now, into: &outputs)
        }
    }

    private mutating func updateTimeline(
        from old: OffScheduleRule?, to new: OffScheduleRule?, at now: Timestamp, into outputs: inout [TrackerOutput]
    ) {
        guard configuration.isEnabled else {
            timeline.applyOffScheduleRule(new)
            return
        }
        var log = revisionBatch(at: now)
        if new?.mode == .stop {
            timeline.suspend(.offSchedule, at: eventTime(now), into: &log)
            timeline.applyOffScheduleRule(new)
            recent.interruptMovement()
        } else if old?.mode == .stop || old?.mode == .private {
            timeline.resumeTracking(at: eventTime(now), with: new, into: &log)
            odometer.forgetPosition()
            recent.interruptMovement()
        } else {
            timeline.splitOpenEvent(at: eventTime(now), with: new, into: &log)
        }
        emit(log, into: &outputs)
    }
}
