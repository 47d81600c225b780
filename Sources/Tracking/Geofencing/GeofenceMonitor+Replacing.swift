import CivilTime
import Crontab
import Geodesy
import OdographModel

/// Another set, and times of which nothing is to be known.
extension GeofenceMonitor {
    /// Another set is in force from an instant on.
    ///
    /// A fence with the same identifier and shape goes on as it was, under its new rule. A visit ends where the fence is
    /// gone, `deleted`, and with the next fixes where its new shape does not hold the vehicle, `edited`. A fence that holds
    /// the last place, and is new or has a new shape, is entered with the next fixes, `initial`.
    /// - Parameter zone: whose wall clock the schedules of fences are on.
    /// - Returns: the exits from fences that are gone.
    public mutating func replace(with new: GeofenceSet, zone: ZoneRules, at now: Timestamp) -> [GeofenceEvent] {
        let old = fences
        let wasAwake = hasMatchingSet
        let known = savedStates
        let gone = leaveRemoved(known, new: new, at: now)
        fences = new
        self.zone = zone
        identity = new.identity
        pendingStates = []
        states.removeAll(keepingCapacity: true)
        for entry in known {
            guard let slot = new.slot(of: entry.identifier) else { continue }
            var watch = entry.state(in: slot)
            let isSameShape = new.index.fingerprint(slot) == entry.shape
            if carryOver(&watch, isSameShape: isSameShape, at: now) { states.append(watch) }
        }
        startInsideNewFences(old: wasAwake ? old : GeofenceSet(), at: now)
        states.sort { $0.slot < $1.slot }
        return gone
    }

    private mutating func leaveRemoved(_ known: [SavedGeofenceState], new: GeofenceSet, at now: Timestamp)
        -> [GeofenceEvent]
    {
        var events: [GeofenceEvent] = []
        for entry in known where entry.phase == .inside && new.slot(of: entry.identifier) == nil && entry.isOpen {
            if let slot = fences.slot(of: entry.identifier) {
                var watch = entry.state(in: slot)
                leave(&watch, at: now, reason: .deleted, confirmedAt: now)
            } else {
                // Its words are gone with it.
                var event = GeofenceEvent(
                    identifier: entry.identifier, action: .exit, occurredAt: now, confirmedAt: now)
                event.reason = .deleted
                event.dwellSeconds = max(now.seconds(since: entry.enteredAt), 0)
                events.append(event)
            }
        }
        return (takeEvents() + events).sorted(by: Self.isBefore)
    }

    /// Puts a watch under the new set.
    /// - Returns: whether it goes on.
    private func carryOver(_ watch: inout GeofenceState, isSameShape: Bool, at now: Timestamp) -> Bool {
        guard let rule = fences.ruleWithoutTexts(watch.slot) else { return false }
        if watch.phase == .inside { applyNewRule(&watch, rule, at: now) }
        guard !isSameShape else { return true }
        guard watch.phase == .inside else { return false }
        let isInside = last.map { fences.index.contains(watch.slot, $0.evidence) } ?? true
        watch.confirmingFixes = 0
        watch.leftAt = isInside ? nil : now
        watch.leftReason = isInside ? nil : .edited
        watch.isOutside = !isInside
        return true
    }

    /// A visit goes on under another rule: what was told stays told.
    private func applyNewRule(_ watch: inout GeofenceState, _ rule: GeofenceRule, at now: Timestamp) {
        let due = watch.enteredAt.advanced(bySeconds: rule.loiteringDelaySeconds)
        if !rule.notifiesOnDwell {
            watch.dwellDue = nil
        } else if watch.dwellDue != nil || due > now {
            watch.dwellDue = due
        }
        if watch.overspeed?.limitMetersPerSecond != rule.speedLimitMetersPerSecond {
            watch.overspeed = rule.speedLimitMetersPerSecond.map(OverspeedDetector.init(limitMetersPerSecond:))
        }
        // The window's next change is due at once where it is another one now.
        let window = rule.schedule.map { ($0.isOpen(at: now, in: zone), $0.nextChange(after: now, in: zone)) }
        watch.nextScheduleChange = (window?.0 ?? true) == watch.isScheduleOpen ? window?.1 ?? nil : now
    }

    /// The vehicle is found in fences that are new, or have a new shape.
    private mutating func startInsideNewFences(old: GeofenceSet, at now: Timestamp) {
        guard let last else { return }
        let known = Set(states.map(\.slot))
        fences.index.forEachContaining(last.evidence) { slot in
            guard !known.contains(slot), let identifier = fences.identifier(slot) else { return }
            let oldSlot = old.slot(of: identifier)
            let isSame = oldSlot.map { old.index.fingerprint($0) == fences.index.fingerprint(slot) } ?? false
            guard !isSame else { return }
            var watch = GeofenceState(slot: slot, at: now)
            watch.isInitial = true
            watch.enterReason = oldSlot == nil ? .created : .edited
            states.append(watch)
        }
    }

    // MARK: Times without

    /// Nobody looks for a while: the agent was off, or tracking was.
    mutating func interrupt() {
        hasGap = true
    }

    /// Visits end here, for nothing is to be known of what comes.
    mutating func endVisits(at now: Timestamp) -> [GeofenceEvent] {
        if hasMatchingSet {
            for index in states.indices where states[index].phase == .inside {
                var watch = states[index]
                leave(&watch, at: now, reason: .schedule, confirmedAt: now)
            }
        }
        let events = takeEvents()
        forgetPositions()
        return events
    }

    /// Forgets where the vehicle was.
    mutating func forgetPositions() {
        states.removeAll()
        pendingStates = []
        last = nil
        pendingEvents.removeAll()
        cadence = FixCadence()
        initialReason = .schedule
    }
}
