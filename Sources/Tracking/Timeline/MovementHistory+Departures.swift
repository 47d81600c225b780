import CivilTime
import Geodesy

/// Where a stay ended.
extension MovementHistory {
    /// When the way began that the history ends in, seen from a stay: the change point after which no position can be
    /// one of the stay's any more, and from there back while it moved.
    ///
    /// Who has come out of the building and waits for a moment has left; who stands outside for the interval has only
    /// moved within the place.
    /// - Parameters:
    ///   - radiusMeters: what lies farther from the centre of the stay is no position of it, unless the receiver owns up to
    ///     more.
    ///   - longestWait: the longest wait that belongs to a way, seconds.
    ///   - mayComeOut: whether it may have come out of a building.
    func departureTime(
        from center: Coordinate, radiusMeters: Double, longestWaitSeconds longestWait: Double, mayBeIndoors: Bool,
        after limit: Timestamp
    ) -> Timestamp? {
        let inside =
            windows.lastIndex {
                center.distanceMeters(to: $0.coordinate) <= max(radiusMeters, $0.accuracyMeters)
            } ?? -1
        guard inside + 1 < windows.count else { return nil }
        if let end = lastRestEnd(ofSeconds: longestWait, after: inside) { return max(end, limit) }
        let first = departureIndex(before: inside + 1)
        let outdoors =
            mayBeIndoors && !isVehicleMounted ? indoorExitIndex(before: first, withinSeconds: longestWait) : nil
        return max(start(of: outdoors ?? first), limit)
    }

    /// Whether the newest two epochs are no rest: one may be a jump of the position.
    var isClearlyMoving: Bool { states.count >= 2 && states.suffix(2).allSatisfy { !$0.isStationary } }

    /// How long the rest has lasted that the history ends in, seconds.
    var trailingRestSeconds: Double {
        guard let newest = windows.last else { return 0 }
        let first = states.lastIndex { !$0.isStationary } ?? 0
        return newest.time.seconds(since: windows[first].time)
    }

    /// Whether somebody gets farther from a place with every epoch, somewhere else from the first of them on and now out
    /// of the noise around it.
    func isMovingAway(from center: Coordinate, coreMeters: Double, radiusMeters: Double) -> Bool {
        let distances = windows.suffix(DepartureParameters.movingAwayWindowCount).map {
            center.distanceMeters(to: $0.coordinate)
        }
        guard isClearlyMoving, distances.count == DepartureParameters.movingAwayWindowCount,
            let first = distances.first,
            let last = distances.last
        else { return false }
        return first > coreMeters && last > radiusMeters + DepartureParameters.minimumClearanceMeters
            && zip(distances, distances.dropFirst()).allSatisfy { $0 < $1 }
    }

    /// Whether the newest epochs are all at a place: as many as say what is usual.
    func hasReturned(to center: Coordinate, radiusMeters: Double) -> Bool {
        let newest = windows.suffix(DepartureParameters.baselineWindowCounts.lowerBound)
        return newest.allSatisfy { center.distanceMeters(to: $0.coordinate) <= radiusMeters }
    }

    /// When the last rest of a length ended, among the epochs after one.
    private func lastRestEnd(ofSeconds seconds: Double, after first: Int) -> Timestamp? {
        var end: Timestamp?
        for index in windows.indices.reversed() where index > first {
            guard states[index].isStationary else {
                end = nil
                continue
            }
            let last = end ?? windows[index].time
            end = last
            if last.seconds(since: start(of: index)) >= seconds { return last }
        }
        return nil
    }

    /// The epoch in which the movement began that had led out of a place by the beginning of an epoch.
    func departureIndex(before index: Int) -> Int {
        let left = start(of: index)
        var first = index
        while first > 1, !states[first - 1].isStationary,
            left.seconds(since: start(of: first - 1)) <= DepartureParameters.longestDepartureSeconds
        {
            first -= 1
        }
        return first
    }
}
