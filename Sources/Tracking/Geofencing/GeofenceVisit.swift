import OdographCivilTime
import OdographGeodesy
import OdographModel

/// A visit to a geofence, from the certain entry to the certain exit.
struct GeofenceVisit: Equatable, Sendable, Codable {
    /// The last crossing of the edge outwards by fixes that have been outside since.
    struct Exit: Equatable, Sendable, Codable {
        var time: Timestamp
        var reason: GeofenceEvent.Reason?
    }

    var entry: GeofenceEntry
    var opening: GeofenceOpening
    var dwell: DwellTimer
    /// Nil where the geofence has no speed limit.
    var overspeed: OverspeedDetector?
    /// Nil while fixes are inside. A stop's centre can be inside while the fixes are outside, and the reverse.
    var exit: Exit?
    /// Nil while the position that decides is inside.
    var departure: GeofenceDeparture?
}

extension GeofenceVisit {
    /// Begins a visit, and emits the event of its entry.
    init(
        _ entry: GeofenceEntry, rule: GeofenceRule, of slot: ShapeIndex.Slot, at time: Timestamp,
        in context: inout GeofenceContext
    ) {
        self.init(
            entry: entry, opening: GeofenceOpening(rule, at: time, in: context.zone),
            dwell: DwellTimer(rule, enteredAt: entry.time),
            overspeed: rule.speedLimitMetersPerSecond.map(OverspeedDetector.init))
        guard opening.isOpen, !entry.isInitial || rule.initialTrigger == .enter else { return }
        context.emit(.enter(entry), of: slot, confirmedAt: time)
    }

    // MARK: Positions

    /// Applies a position.
    /// - Returns: the visit as it continues; nil where it is over.
    func advanced(_ sighting: GeofenceSighting, in context: inout GeofenceContext) -> GeofenceState.Phase? {
        var next = self
        let (slot, time) = (sighting.slot, sighting.time)
        if let change = opening.nextChange, change <= time {
            // The position at the opening is unknown, and the vehicle is outside now: there is no visit to report.
            guard opening.isOpen || sighting.isInside else { return nil }
            next.applyScheduleChange(at: change, of: slot, in: &context)
        }
        next.updateExit(sighting, in: &context)
        if sighting.isInside {
            next.departure = nil
            next.updateOverspeed(sighting, in: &context)
            if let due = next.dwell.due, due <= time, next.opening.isOpen {
                next.emitDwell(of: slot, confirmedAt: time, in: &context)
            }
            return .inside(next)
        }
        var departure = next.departure ?? GeofenceDeparture()
        let hasLeft = departure.update(sighting, in: context.set.index, exitedAt: next.exit?.time)
        next.departure = departure
        guard hasLeft else { return .inside(next) }
        next.leave(at: next.exit?.time ?? time, reason: next.exit?.reason, of: slot, confirmedAt: time, in: &context)
        return nil
    }

    private mutating func updateExit(_ sighting: GeofenceSighting, in context: inout GeofenceContext) {
        let position = sighting.position
        let isFixInside =
            position.isStationary ? context.set.index.contains(sighting.slot, position.coordinate) : sighting.isInside
        if isFixInside {
            exit = nil
        } else if exit == nil {
            let time = context.crossing(by: sighting) ?? sighting.time
            exit = Exit(time: time, reason: sighting.previous == nil ? .moved : nil)
        }
    }

    private mutating func updateOverspeed(_ sighting: GeofenceSighting, in context: inout GeofenceContext) {
        let interval = overspeed?.update(sighting.step)
        guard opening.isOpen, let interval else { return }
        context.emit(.overspeed(interval), of: sighting.slot, confirmedAt: sighting.time)
    }

    /// Emits the events of the end, unless the geofence's schedule is closed.
    mutating func leave(
        at time: Timestamp, reason: GeofenceEvent.Reason?, of slot: ShapeIndex.Slot, confirmedAt: Timestamp,
        in context: inout GeofenceContext
    ) {
        guard opening.isOpen else { return }
        let end = max(time, entry.time)
        if let interval = overspeed?.finish(at: end) {
            context.emit(.overspeed(interval), of: slot, confirmedAt: confirmedAt)
        }
        context.emit(.exit(since: entry.time, at: end, reason: reason), of: slot, confirmedAt: confirmedAt)
    }

    // MARK: Deadlines

    /// When the next deadline is; nil for none.
    var due: Timestamp? {
        // A vehicle that may have left before the delay ended does not dwell.
        guard let due = dwell.due, opening.isOpen, departure == nil || exit.map({ $0.time >= due }) ?? false else {
            return opening.nextChange
        }
        return min(due, opening.nextChange ?? due)
    }

    /// Does what is due at an instant.
    mutating func processDeadline(at time: Timestamp, of slot: ShapeIndex.Slot, in context: inout GeofenceContext) {
        if let change = opening.nextChange, change <= time {
            applyScheduleChange(at: change, of: slot, in: &context)
        } else {
            emitDwell(of: slot, confirmedAt: time, in: &context)
        }
    }

    private mutating func emitDwell(
        of slot: ShapeIndex.Slot, confirmedAt time: Timestamp, in context: inout GeofenceContext
    ) {
        guard let due = dwell.take() else { return }
        context.emit(.dwell(since: entry.time, until: due), of: slot, confirmedAt: time)
    }

    /// Ends the visit where the geofence's schedule closes, and begins another where it opens.
    private mutating func applyScheduleChange(
        at time: Timestamp, of slot: ShapeIndex.Slot, in context: inout GeofenceContext
    ) {
        if opening.isOpen {
            leave(at: time, reason: .schedule, of: slot, confirmedAt: time, in: &context)
            opening = context.opening(of: slot, at: time)
        } else if let rule = context.set.ruleWithoutTexts(slot) {
            let exit = exit
            let entry = GeofenceEntry(time: time, origin: .found(.schedule))
            self = GeofenceVisit(entry, rule: rule, of: slot, at: time, in: &context)
            self.exit = exit
        }
    }

    // MARK: Another set

    /// Continues under a new rule. Events that were emitted are not emitted again.
    mutating func apply(_ rule: GeofenceRule, at now: Timestamp, in zone: ZoneRules) {
        dwell.apply(rule, enteredAt: entry.time, at: now)
        if overspeed?.limitMetersPerSecond != rule.speedLimitMetersPerSecond {
            overspeed = rule.speedLimitMetersPerSecond.map(OverspeedDetector.init)
        }
        let new = GeofenceOpening(rule, at: now, in: zone)
        opening.nextChange = new.isOpen == opening.isOpen ? new.nextChange : now
    }

    /// Continues with a new shape. The next fixes decide whether the vehicle has left.
    mutating func applyNewShape(isInside: Bool, at now: Timestamp) {
        exit = isInside ? nil : Exit(time: now, reason: .edited)
        departure = isInside ? nil : GeofenceDeparture()
    }
}
