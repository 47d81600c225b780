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
    func departure(
        from center: Coordinate, radiusMeters: Double, longestWaitSeconds longestWait: Double, mayComeOut: Bool,
        after limit: Timestamp
    ) -> Timestamp? {
        let inside =
            epochs.lastIndex {
                center.distanceMeters(to: $0.coordinate) <= max(radiusMeters, $0.accuracyMeters)
            } ?? -1
        guard inside + 1 < epochs.count else { return nil }
        if let end = lastRestEnd(ofSeconds: longestWait, after: inside) { return max(end, limit) }
        let first = setOut(before: inside + 1)
        let outdoors = mayComeOut && !isAboard ? comingOut(before: first, withinSeconds: longestWait) : nil
        return max(start(of: outdoors ?? first), limit)
    }

    /// Whether the newest two epochs are no rest: one may be a jump of the position.
    var isClearlyUnderWay: Bool { movements.count >= 2 && movements.suffix(2).allSatisfy { !$0.isHalt } }

    /// How long the rest has lasted that the history ends in, seconds.
    var restSeconds: Double {
        guard let newest = epochs.last else { return 0 }
        let first = movements.lastIndex { !$0.isHalt } ?? 0
        return newest.time.seconds(since: epochs[first].time)
    }

    /// Whether somebody gets farther from a place with every epoch, somewhere else from the first of them on and now out
    /// of the noise around it.
    func isGoingAway(from center: Coordinate, coreMeters: Double, radiusMeters: Double) -> Bool {
        let distances = epochs.suffix(DepartureFigures.awayEpochs).map { center.distanceMeters(to: $0.coordinate) }
        guard isClearlyUnderWay, distances.count == DepartureFigures.awayEpochs, let first = distances.first,
            let last = distances.last
        else { return false }
        return first > coreMeters && last > radiusMeters + DepartureFigures.leastClearanceMeters
            && zip(distances, distances.dropFirst()).allSatisfy { $0 < $1 }
    }

    /// Whether the newest epochs are all at a place: as many as say what is usual.
    func isBack(at center: Coordinate, radiusMeters: Double) -> Bool {
        let newest = epochs.suffix(DepartureFigures.usualEpochs.lowerBound)
        return newest.allSatisfy { center.distanceMeters(to: $0.coordinate) <= radiusMeters }
    }

    /// When the last rest of a length ended, among the epochs after one.
    private func lastRestEnd(ofSeconds seconds: Double, after first: Int) -> Timestamp? {
        var end: Timestamp?
        for index in epochs.indices.reversed() where index > first {
            guard movements[index].isHalt else {
                end = nil
                continue
            }
            let last = end ?? epochs[index].time
            end = last
            if last.seconds(since: start(of: index)) >= seconds { return last }
        }
        return nil
    }

    /// The epoch in which the movement began that had led out of a place by the beginning of an epoch.
    func setOut(before index: Int) -> Int {
        let left = start(of: index)
        var first = index
        while first > 1, !movements[first - 1].isHalt,
            left.seconds(since: start(of: first - 1)) <= DepartureFigures.setOutSeconds
        {
            first -= 1
        }
        return first
    }
}
