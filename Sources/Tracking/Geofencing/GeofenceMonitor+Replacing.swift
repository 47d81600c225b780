import OdographCivilTime
import OdographGeodesy
import OdographModel

/// Another set of geofences, and times without positions.
extension GeofenceMonitor {
    /// Puts another set in force. A geofence with the same identifier and shape continues under its new rule.
    ///
    /// A visit ends where the geofence is gone, `deleted`, and with the next fixes where its new shape does not contain
    /// the vehicle, `edited`. The next fixes enter a new or reshaped geofence that contains the last position,
    /// `initial`.
    /// - Parameter zone: the wall clock of the geofences' schedules.
    /// - Returns: the exits from geofences that are gone.
    public mutating func replace(with new: GeofenceSet, zone: ZoneRules, at now: Timestamp) -> [GeofenceEvent] {
        // The next positions begin the doubt again.
        restore()
        let old = context.set
        let known = savedStates
        for entry in known where new.slot(of: entry.identifier) == nil { leaveRemoved(entry, at: now) }
        let exits = context.events.take()
        context.set = new
        context.zone = zone
        dormant = nil
        states.removeAll(keepingCapacity: true)
        for entry in known { carryOver(entry, at: now) }
        enterNewGeofences(old: old, at: now)
        states.sort { $0.slot < $1.slot }
        return exits
    }

    private mutating func leaveRemoved(_ saved: SavedGeofenceState, at now: Timestamp) {
        guard var visit = saved.phase.visit, visit.opening.isOpen else { return }
        if let slot = context.set.slot(of: saved.identifier) {
            visit.leave(at: now, reason: .deleted, of: slot, confirmedAt: now, in: &context)
        } else {
            let entered = min(visit.entry.time, now)
            let exit = GeofenceChange.exit(since: entered, at: now, reason: .deleted)
            context.events.append(exit, identifier: saved.identifier, confirmedAt: now)
        }
    }

    /// Continues a state under the new set, if it has the geofence.
    private mutating func carryOver(_ saved: SavedGeofenceState, at now: Timestamp) {
        guard let slot = context.set.slot(of: saved.identifier), let rule = context.set.ruleWithoutTexts(slot) else {
            return
        }
        var state = GeofenceState(slot: slot, phase: saved.phase)
        let isSameShape = context.set.index.fingerprint(slot) == saved.shape
        if var visit = state.phase.visit {
            visit.apply(rule, at: now, in: context.zone)
            if !isSameShape {
                let isInside = track.position.map { context.set.index.contains(slot, $0.effectiveCoordinate) } ?? true
                visit.applyNewShape(isInside: isInside, at: now)
            }
            state.phase = .inside(visit)
        } else if !isSameShape {
            return
        }
        states.append(state)
    }

    /// Begins to enter the geofences that contain the last position, and are new or have a new shape.
    private mutating func enterNewGeofences(old: GeofenceSet, at now: Timestamp) {
        guard let last = track.position else { return }
        let known = Set(states.map(\.slot))
        let set = context.set
        set.index.forEachContaining(last.effectiveCoordinate) { slot in
            guard !known.contains(slot), let identifier = set.identifier(slot) else { return }
            let oldSlot = old.slot(of: identifier)
            if let oldSlot, old.index.fingerprint(oldSlot) == set.index.fingerprint(slot) { return }
            let entry = GeofenceEntry(time: now, origin: .found(oldSlot == nil ? .created : .edited))
            states.append(GeofenceState(slot: slot, phase: .entering(GeofenceEntering(entry: entry))))
        }
    }

    // MARK: Times without positions

    /// Notes a time without positions: the agent was off, or tracking was.
    mutating func interrupt() {
        restore()
        track.interrupt()
    }

    /// Ends all visits and forgets them, because what follows is private.
    mutating func endVisits(at now: Timestamp) -> [GeofenceEvent] {
        restore()
        for state in states {
            guard var visit = state.phase.visit else { continue }
            visit.leave(at: now, reason: .schedule, of: state.slot, confirmedAt: now, in: &context)
        }
        defer { forgetPositions() }
        return context.events.take()
    }

    /// Forgets where the vehicle was.
    mutating func forgetPositions() {
        states.removeAll()
        doubt = nil
        dormant?.states = []
        _ = context.events.take()
        track = GeofenceTrack(last: .none(.schedule))
    }
}
