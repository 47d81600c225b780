import CivilTime

/// The effect of the schedule on tracking.
///
/// In mode `private` the tracker follows the vehicle in memory, and emits distances and times only. When the schedule
/// opens again it erases all positions, so that no later record contains one, and begins anew with the next.
extension Tracker {
    /// Whether positions must be neither emitted nor saved.
    public var isPrivate: Bool { agent.schedule.rule?.mode == .private }

    /// Whether nothing is recorded, by configuration or by schedule.
    var isSuspended: Bool { !configuration.isEnabled || agent.schedule.rule?.mode == .stop }

    /// Records a location, if the schedule allows it.
    mutating func emit(_ location: TrackedLocation, into outputs: inout [TrackerOutput]) {
        guard !isPrivate, !isSuspended else { return }
        var location = location
        if location.cause != .geofence {
            if agent.owesOpening { location.cause = .schedule }
            agent.owesOpening = false
        }
        outputs.append(.record(.location(location)))
    }

    mutating func apply(_ new: ScheduleGate.State, at now: Timestamp, into outputs: inout [TrackerOutput]) {
        guard new != agent.schedule else { return }
        let old = agent.schedule
        let isTurn = old.isOpen != new.isOpen
        if let mode = new.rule?.mode, mode != .tag { refuseRequests(into: &outputs) }
        // The positions at the closing and at the opening belong to the open time.
        if isTurn, old.isOpen { recordLastKnownPosition(.schedule, at: now, into: &outputs) }
        // Visits end while positions may still be emitted.
        if new.rule?.mode == .private { emit(geofences.endVisits(at: now), at: now, into: &outputs) }
        if new.rule?.mode == .stop { geofences.interrupt() }
        updateTimeline(from: old.rule, to: new.rule, at: now, into: &outputs)
        agent.schedule = new
        // Positions that wait for their date may be of private time.
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
        var log = RevisionBatch(now: now)
        let rules = SegmentationRules(configuration)
        if new?.mode == .stop {
            timeline.suspend(.offSchedule, at: eventTime(now), rules: rules, into: &log)
            timeline.applyOffScheduleRule(new)
            recent.interruptMovement()
        } else if old?.mode == .stop || old?.mode == .private {
            timeline.resumeTracking(at: eventTime(now), rules: rules, into: &log) { $0.applyOffScheduleRule(new) }
            odometer.forgetPosition()
            recent.interruptMovement()
        } else {
            timeline.splitOpenEvent(at: eventTime(now), rules: rules, into: &log) { $0.applyOffScheduleRule(new) }
        }
        emit(log, into: &outputs)
    }
}

extension TripSegmenter {
    /// Applies a rule to the events that follow.
    mutating func applyOffScheduleRule(_ rule: OffScheduleRule?) {
        isPrivate = rule?.mode == .private
        tag = rule?.mode == .tag ? rule?.tag : nil
    }
}
