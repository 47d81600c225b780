import CivilTime
import Geodesy

/// The life of a watch.
extension GeofenceMonitor {
    // MARK: Beginning

    /// A fence whose first fix is inside.
    mutating func entering(
        _ slot: FenceIndex.Slot, _ sighting: GeofenceSighting, _ previous: LastSighting?
    ) -> FenceWatch? {
        guard isTelling(sighting, of: slot) else { return nil }
        var watch = FenceWatch(slot: slot, at: sighting.time)
        begin(&watch, sighting, previous)
        return watch
    }

    private mutating func begin(_ watch: inout FenceWatch, _ sighting: GeofenceSighting, _ previous: LastSighting?) {
        watch.count = 0
        _ = watch.agree(at: sighting.time, isSeldom: cadence.isSeldom)
        if last == nil {
            watch.isInitial = true
            watch.enterReason = firstReason
        } else if let crossing = crossing(of: watch.slot, sighting, after: previous) {
            watch.enteredAt = crossing
        } else if previous == nil {
            watch.enterReason = .moved
        }
    }

    /// A fence that the way between two fixes outside may have gone through.
    mutating func passing(
        _ slot: FenceIndex.Slot, _ sighting: GeofenceSighting, _ previous: LastSighting
    ) -> FenceWatch? {
        guard !previous.isStanding, isTelling(sighting, of: slot), let shares = pass(slot, sighting, previous) else {
            return nil
        }
        let seconds = sighting.time.seconds(since: previous.time)
        var watch = FenceWatch(slot: slot, at: sighting.time)
        watch.phase = .passing
        watch.enteredAt = previous.time.advanced(bySeconds: shares.lowerBound * seconds)
        watch.leftAt = previous.time.advanced(bySeconds: shares.upperBound * seconds)
        _ = watch.agree(at: sighting.time, isSeldom: cadence.isSeldom)
        return watch
    }

    /// The part of the way that lies in a fence which neither of its ends lies in, where it is deeper than noise.
    private mutating func pass(
        _ slot: FenceIndex.Slot, _ sighting: GeofenceSighting, _ previous: LastSighting
    ) -> ClosedRange<Double>? {
        fences.index.findPass(&passage, through: slot, from: previous.place, to: sighting.place)
        guard let first = passage.insideShares.first, let last = passage.insideShares.last,
            first.lowerBound > 0, last.upperBound < 1
        else { return nil }
        let middle = (first.lowerBound + first.upperBound) / 2
        let deepest = previous.place.point(towards: sighting.place, share: middle)
        return isDeep(slot, deepest, accuracyMeters: max(sighting.accuracyMeters, previous.accuracyMeters))
            ? first.lowerBound...last.upperBound : nil
    }

    // MARK: Going on

    /// - Returns: whether there is something to watch any more.
    mutating func advance(
        _ watch: inout FenceWatch, isInside: Bool, _ sighting: GeofenceSighting, _ previous: LastSighting?
    ) -> Bool {
        switch watch.phase {
        case .entering: advanceEntering(&watch, isInside: isInside, sighting, previous)
        case .inside: advanceVisit(&watch, isInside: isInside, sighting, previous)
        case .passing: advancePassing(&watch, isInside: isInside, sighting, previous)
        case .returned: advanceReturned(&watch, isInside: isInside, sighting, previous)
        }
    }

    private mutating func advanceEntering(
        _ watch: inout FenceWatch, isInside: Bool, _ sighting: GeofenceSighting, _ previous: LastSighting?
    ) -> Bool {
        guard isInside else { return turnBack(&watch, sighting, previous) }
        guard isTelling(sighting, of: watch.slot) else { return true }
        let agreement = watch.agree(at: sighting.time, isSeldom: cadence.isSeldom)
        guard agreement.isReached,
            agreement.hasLasted || isDeep(watch.slot, sighting.evidence, accuracyMeters: sighting.accuracyMeters)
        else { return true }
        enter(&watch, at: sighting.time)
        return true
    }

    /// It is outside again before it was certain that it was inside: went through, if that was more than noise.
    private mutating func turnBack(
        _ watch: inout FenceWatch, _ sighting: GeofenceSighting, _ previous: LastSighting?
    ) -> Bool {
        guard watch.count > 0, watch.enterReason == nil, let previous, sighting.stand == nil, !previous.isStanding,
            let left = crossing(of: watch.slot, sighting, after: previous), left > watch.enteredAt,
            isDeep(watch.slot, previous.place, accuracyMeters: previous.accuracyMeters)
        else { return false }
        watch.phase = .passing
        watch.leftAt = left
        watch.count = 0
        _ = watch.agree(at: sighting.time, isSeldom: cadence.isSeldom)
        return true
    }

    private mutating func advancePassing(
        _ watch: inout FenceWatch, isInside: Bool, _ sighting: GeofenceSighting, _ previous: LastSighting?
    ) -> Bool {
        if isInside { return advanceReturned(&watch, isInside: isInside, sighting, previous) }
        if let previous, sighting.stand == nil, pass(watch.slot, sighting, previous) != nil {
            watch.phase = .returned
            return true
        }
        guard watch.agree(at: sighting.time, isSeldom: cadence.isSeldom).isReached else { return true }
        if window(of: watch.slot, at: sighting.time).isOpen {
            var notice = GeofenceNotice(
                slot: watch.slot, action: .cross, occurredAt: watch.enteredAt, confirmedAt: sighting.time)
            notice.exitedAt = watch.leftAt
            notices.append(notice)
        }
        return false
    }

    private mutating func advanceReturned(
        _ watch: inout FenceWatch, isInside: Bool, _ sighting: GeofenceSighting, _ previous: LastSighting?
    ) -> Bool {
        guard isInside else { return false }
        watch = FenceWatch(slot: watch.slot, at: sighting.time)
        begin(&watch, sighting, previous)
        return true
    }

    // MARK: Visits

    private mutating func advanceVisit(
        _ watch: inout FenceWatch, isInside: Bool, _ sighting: GeofenceSighting, _ previous: LastSighting?
    ) -> Bool {
        if let change = watch.windowChange, change <= sighting.time {
            // Nobody knows where it was as the window opened, and it is outside now: there is no visit to tell of.
            guard watch.isOpen || isInside else { return false }
            turnWindow(&watch, at: change)
        }
        noteEdge(&watch, isInside: isInside, sighting, previous)
        watch.isOutside = !isInside
        guard !isInside else {
            watch.count = 0
            watch.beyondSince = nil
            watchSpeed(&watch, sighting, previous)
            if let due = watch.dwellDue, due <= sighting.time, watch.isOpen {
                dwell(&watch, confirmedAt: sighting.time)
            }
            return true
        }
        guard hasLeft(&watch, sighting, previous) else { return true }
        leave(&watch, at: watch.leftAt ?? sighting.time, reason: watch.leftReason, confirmedAt: sighting.time)
        return false
    }

    /// Keeps the instant at which the fixes went out to where they still are.
    private mutating func noteEdge(
        _ watch: inout FenceWatch, isInside: Bool, _ sighting: GeofenceSighting, _ previous: LastSighting?
    ) {
        let isFixInside = sighting.stand == nil ? isInside : fences.index.contains(watch.slot, sighting.place)
        if isFixInside {
            (watch.leftAt, watch.leftReason) = (nil, nil)
        } else if watch.leftAt == nil {
            watch.leftAt = crossing(of: watch.slot, sighting, after: previous) ?? sighting.time
            watch.leftReason = previous == nil ? .moved : nil
        }
    }

    private mutating func watchSpeed(
        _ watch: inout FenceWatch, _ sighting: GeofenceSighting, _ previous: LastSighting?
    ) {
        guard watch.speed != nil, let speed = speed(of: sighting, after: previous) else { return }
        let before = previous.flatMap { last in last.speedMetersPerSecond.map { (speed: $0, time: last.time) } }
        let excess = watch.speed?.take(
            speed: speed, at: sighting.time, after: before, isSeldom: cadence.isSeldom)
        if let excess { tell(excess, of: watch, confirmedAt: sighting.time) }
    }

    /// The receiver's word, or the way since the last fix.
    private func speed(of sighting: GeofenceSighting, after previous: LastSighting?) -> Double? {
        if let speed = sighting.speedMetersPerSecond { return speed }
        guard sighting.stand == nil, let previous else { return nil }
        let seconds = sighting.time.seconds(since: previous.time)
        return seconds > 0 ? previous.place.distanceMeters(to: sighting.place) / seconds : nil
    }

    private func isDeep(_ slot: FenceIndex.Slot, _ place: Coordinate, accuracyMeters: Double) -> Bool {
        let needed = min(
            accuracyMeters * GeofenceRules.depthShare, fences.index.equivalentRadiusMeters(slot) / 2)
        return fences.index.isInside(slot, byMeters: needed, place)
    }

    /// Whether a fix is good enough to say that the vehicle is in a fence of this size.
    private func isTelling(_ sighting: GeofenceSighting, of slot: FenceIndex.Slot) -> Bool {
        sighting.accuracyMeters <= GeofenceRules.blindShare * fences.index.equivalentRadiusMeters(slot)
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
