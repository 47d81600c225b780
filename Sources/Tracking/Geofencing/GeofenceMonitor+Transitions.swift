import CivilTime
import Geodesy

/// The life of a watch.
extension GeofenceMonitor {
    // MARK: Beginning

    /// A fence whose first fix is inside.
    mutating func makeEntryState(
        _ slot: ShapeIndex.Slot, _ sighting: GeofencePosition, _ previous: LastGeofencePosition?
    ) -> GeofenceState? {
        guard isAccurateEnough(sighting, for: slot) else { return nil }
        var watch = GeofenceState(slot: slot, at: sighting.time)
        beginEntry(&watch, sighting, previous)
        return watch
    }

    private mutating func beginEntry(
        _ watch: inout GeofenceState, _ sighting: GeofencePosition, _ previous: LastGeofencePosition?
    ) {
        watch.confirmingFixes = 0
        _ = watch.confirm(at: sighting.time, isSparse: cadence.isSparse)
        if last == nil {
            watch.isInitial = true
            watch.enterReason = initialReason
        } else if let crossing = crossing(of: watch.slot, sighting, after: previous) {
            watch.enteredAt = crossing
        } else if previous == nil {
            watch.enterReason = .moved
        }
    }

    /// A fence that the way between two fixes outside may have gone through.
    mutating func makeCrossingState(
        _ slot: ShapeIndex.Slot, _ sighting: GeofencePosition, _ previous: LastGeofencePosition
    ) -> GeofenceState? {
        guard !previous.isStanding, isAccurateEnough(sighting, for: slot),
            let shares = traversal(slot, sighting, previous)
        else {
            return nil
        }
        let seconds = sighting.time.seconds(since: previous.time)
        var watch = GeofenceState(slot: slot, at: sighting.time)
        watch.phase = .crossing
        watch.enteredAt = previous.time.advanced(bySeconds: shares.lowerBound * seconds)
        watch.leftAt = previous.time.advanced(bySeconds: shares.upperBound * seconds)
        _ = watch.confirm(at: sighting.time, isSparse: cadence.isSparse)
        return watch
    }

    /// The part of the way that lies in a fence which neither of its ends lies in, where it is deeper than noise.
    private mutating func traversal(
        _ slot: ShapeIndex.Slot, _ sighting: GeofencePosition, _ previous: LastGeofencePosition
    ) -> ClosedRange<Double>? {
        fences.index.findCrossing(&traversalBuffer, through: slot, from: previous.place, to: sighting.coordinate)
        guard let first = traversalBuffer.insideFractions.first, let last = traversalBuffer.insideFractions.last,
            first.lowerBound > 0, last.upperBound < 1
        else { return nil }
        let middle = (first.lowerBound + first.upperBound) / 2
        let deepest = previous.place.point(towards: sighting.coordinate, share: middle)
        return isWellInside(slot, deepest, accuracyMeters: max(sighting.accuracyMeters, previous.accuracyMeters))
            ? first.lowerBound...last.upperBound : nil
    }

    // MARK: Going on

    /// - Returns: whether there is something to watch any more.
    mutating func advance(
        _ watch: inout GeofenceState, isInside: Bool, _ sighting: GeofencePosition, _ previous: LastGeofencePosition?
    ) -> Bool {
        switch watch.phase {
        case .entering: advanceEntering(&watch, isInside: isInside, sighting, previous)
        case .inside: advanceVisit(&watch, isInside: isInside, sighting, previous)
        case .crossing: advanceCrossing(&watch, isInside: isInside, sighting, previous)
        case .returned: advanceReturned(&watch, isInside: isInside, sighting, previous)
        }
    }

    private mutating func advanceEntering(
        _ watch: inout GeofenceState, isInside: Bool, _ sighting: GeofencePosition, _ previous: LastGeofencePosition?
    ) -> Bool {
        guard isInside else { return abandonEntry(&watch, sighting, previous) }
        guard isAccurateEnough(sighting, for: watch.slot) else { return true }
        let agreement = watch.confirm(at: sighting.time, isSparse: cadence.isSparse)
        guard agreement.isConfirmed,
            agreement.isSustained
                || isWellInside(watch.slot, sighting.effectiveCoordinate, accuracyMeters: sighting.accuracyMeters)
        else { return true }
        enter(&watch, at: sighting.time)
        return true
    }

    /// It is outside again before it was certain that it was inside: went through, if that was more than noise.
    private mutating func abandonEntry(
        _ watch: inout GeofenceState, _ sighting: GeofencePosition, _ previous: LastGeofencePosition?
    ) -> Bool {
        guard watch.confirmingFixes > 0, watch.enterReason == nil, let previous, sighting.stationaryCoordinate == nil,
            !previous.isStanding,
            let left = crossing(of: watch.slot, sighting, after: previous), left > watch.enteredAt,
            isWellInside(watch.slot, previous.place, accuracyMeters: previous.accuracyMeters)
        else { return false }
        watch.phase = .crossing
        watch.leftAt = left
        watch.confirmingFixes = 0
        _ = watch.confirm(at: sighting.time, isSparse: cadence.isSparse)
        return true
    }

    private mutating func advanceCrossing(
        _ watch: inout GeofenceState, isInside: Bool, _ sighting: GeofencePosition, _ previous: LastGeofencePosition?
    ) -> Bool {
        if isInside { return advanceReturned(&watch, isInside: isInside, sighting, previous) }
        if let previous, sighting.stationaryCoordinate == nil, traversal(watch.slot, sighting, previous) != nil {
            watch.phase = .returned
            return true
        }
        guard watch.confirm(at: sighting.time, isSparse: cadence.isSparse).isConfirmed else { return true }
        if scheduleWindow(of: watch.slot, at: sighting.time).isOpen {
            var notice = PendingGeofenceEvent(
                slot: watch.slot, action: .cross, occurredAt: watch.enteredAt, confirmedAt: sighting.time)
            notice.exitedAt = watch.leftAt
            pendingEvents.append(notice)
        }
        return false
    }

    private mutating func advanceReturned(
        _ watch: inout GeofenceState, isInside: Bool, _ sighting: GeofencePosition, _ previous: LastGeofencePosition?
    ) -> Bool {
        guard isInside else { return false }
        watch = GeofenceState(slot: watch.slot, at: sighting.time)
        beginEntry(&watch, sighting, previous)
        return true
    }

    // MARK: Visits

    private mutating func advanceVisit(
        _ watch: inout GeofenceState, isInside: Bool, _ sighting: GeofencePosition, _ previous: LastGeofencePosition?
    ) -> Bool {
        if let change = watch.nextScheduleChange, change <= sighting.time {
            // Nobody knows where it was as the window opened, and it is outside now: there is no visit to tell of.
            guard watch.isScheduleOpen || isInside else { return false }
            applyScheduleChange(&watch, at: change)
        }
        updateExitTime(&watch, isInside: isInside, sighting, previous)
        watch.isOutside = !isInside
        guard !isInside else {
            watch.confirmingFixes = 0
            watch.beyondSince = nil
            updateOverspeed(&watch, sighting, previous)
            if let due = watch.dwellDue, due <= sighting.time, watch.isScheduleOpen {
                emitDwell(&watch, confirmedAt: sighting.time)
            }
            return true
        }
        guard hasLeft(&watch, sighting, previous) else { return true }
        leave(&watch, at: watch.leftAt ?? sighting.time, reason: watch.leftReason, confirmedAt: sighting.time)
        return false
    }

    /// Keeps the instant at which the fixes went out to where they still are.
    private mutating func updateExitTime(
        _ watch: inout GeofenceState, isInside: Bool, _ sighting: GeofencePosition, _ previous: LastGeofencePosition?
    ) {
        let isFixInside =
            sighting.stationaryCoordinate == nil ? isInside : fences.index.contains(watch.slot, sighting.coordinate)
        if isFixInside {
            (watch.leftAt, watch.leftReason) = (nil, nil)
        } else if watch.leftAt == nil {
            watch.leftAt = crossing(of: watch.slot, sighting, after: previous) ?? sighting.time
            watch.leftReason = previous == nil ? .moved : nil
        }
    }

    private mutating func updateOverspeed(
        _ watch: inout GeofenceState, _ sighting: GeofencePosition, _ previous: LastGeofencePosition?
    ) {
        guard watch.overspeed != nil, let speed = speed(of: sighting, after: previous) else { return }
        let before = previous.flatMap { last in last.speedMetersPerSecond.map { (speed: $0, time: last.time) } }
        let excess = watch.overspeed?.update(
            speed: speed, at: sighting.time, after: before, isSparse: cadence.isSparse)
        if let excess { emit(excess, of: watch, confirmedAt: sighting.time) }
    }

    /// The receiver's word, or the way since the last fix.
    private func speed(of sighting: GeofencePosition, after previous: LastGeofencePosition?) -> Double? {
        if let speed = sighting.speedMetersPerSecond { return speed }
        guard sighting.stationaryCoordinate == nil, let previous else { return nil }
        let seconds = sighting.time.seconds(since: previous.time)
        return seconds > 0 ? previous.place.distanceMeters(to: sighting.coordinate) / seconds : nil
    }

    private func isWellInside(_ slot: ShapeIndex.Slot, _ place: Coordinate, accuracyMeters: Double) -> Bool {
        let needed = min(
            accuracyMeters * GeofenceThresholds.entryDepthRatio, fences.index.equivalentRadiusMeters(slot) / 2)
        return fences.index.isInside(slot, byMeters: needed, place)
    }

    /// Whether a fix is good enough to say that the vehicle is in a fence of this size.
    private func isAccurateEnough(_ sighting: GeofencePosition, for slot: ShapeIndex.Slot) -> Bool {
        sighting.accuracyMeters <= GeofenceThresholds.maximumAccuracyRatio * fences.index.equivalentRadiusMeters(slot)
    }
}

extension Coordinate {
    /// A point of the way to another one, which is straight in longitude and latitude.
    fileprivate func point(towards other: Coordinate, share: Double) -> Coordinate {
        let plane = LocalPlane(origin: self)
        let end = plane.eastNorthMeters(of: other)
        return plane.coordinate(
            of: LocalPoint(eastMeters: end.eastMeters * share, northMeters: end.northMeters * share))
    }
}
