import CivilTime
import Geodesy

/// The figures by which a departure is dated.
enum DepartureFinder {
    /// How far out of the noise around a stay somebody must be to have left it, metres.
    static let clearanceMeters = 30.0
    /// Half of that: for a departure that may be taken back or is made at a speed that nobody walks at, and of the way that
    /// the odometer has counted by then.
    static let leastClearanceMeters = clearanceMeters / 2
    /// So many epochs in a row say that somebody goes away from a place: two may be one jump of the position and its echo
    /// in the mean.
    static let awayEpochs = 3
    /// It takes a walker no longer than this out of the core of a stay, seconds: 20 m at 0.7 m/s.
    static let setOutSeconds = 30.0
    /// Walls and roofs cost a receiver at least a third of its accuracy (3 to 5 m outdoors against 6 to 30 m indoors is
    /// usual): so much is the least step of its logarithm.
    static let betterSky = 0.4
    /// A coming out is told within a minute or not at all, seconds: an older step is as likely to be found by asking for
    /// long enough, and soon the way says so itself.
    static let newsSeconds = 60.0
    /// How many epochs tell what was usual.
    static let usualEpochs = 4...24
}

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
    func departure(
        from center: Coordinate, radiusMeters: Double, longestWaitSeconds longestWait: Double, after limit: Timestamp
    ) -> Timestamp? {
        let inside =
            epochs.lastIndex {
                center.distanceMeters(to: $0.coordinate) <= max(radiusMeters, $0.accuracyMeters)
            } ?? -1
        guard inside + 1 < epochs.count else { return nil }
        if let end = lastRestEnd(ofSeconds: longestWait, after: inside) { return max(end, limit) }
        let first = setOut(before: inside + 1)
        let outdoors = isAboard ? nil : comingOut(before: first, withinSeconds: longestWait)
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
        let distances = epochs.suffix(DepartureFinder.awayEpochs).map { center.distanceMeters(to: $0.coordinate) }
        guard isClearlyUnderWay, distances.count == DepartureFinder.awayEpochs, let first = distances.first,
            let last = distances.last
        else { return false }
        return first > coreMeters && last > radiusMeters + DepartureFinder.leastClearanceMeters
            && zip(distances, distances.dropFirst()).allSatisfy { $0 < $1 }
    }

    /// Whether the newest epochs are all at a place: as many as say what is usual.
    func isBack(at center: Coordinate, radiusMeters: Double) -> Bool {
        let newest = epochs.suffix(DepartureFinder.usualEpochs.lowerBound)
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
            left.seconds(since: start(of: first - 1)) <= DepartureFinder.setOutSeconds
        {
            first -= 1
        }
        return first
    }
}
