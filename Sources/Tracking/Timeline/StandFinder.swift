import CivilTime
import Geodesy

/// The radii by which a stand is known.
enum StandFinder {
    /// Who stays within this radius for the interval stands, metres, when the receiver is better than it: a yard, a car
    /// park's aisle, a shop. Half of it is less than the noise in streets, twice of it is a walk round the block.
    static let radiusMeters = 25.0
    /// How far out of the noise around a stay somebody must be to have left it, metres.
    static let clearanceMeters = 30.0
    /// It takes a walker no longer than this out of the radius, seconds.
    static let setOutSeconds = 30.0
}

/// Where a stand began, and where one ended.
extension MovementHistory {
    /// When the stand that the history ends in began; nil where it does not end in one of the interval's length.
    /// - Parameter limit: the stand began no earlier.
    func standStart(intervalSeconds: Double, accuracyMeters: Double, after limit: Timestamp) -> Timestamp? {
        guard let newest = epochs.last else { return nil }
        let first = firstIndex(before: newest.time, bySeconds: intervalSeconds, after: limit)
        guard let first else { return nil }
        let center = medianCenter(from: first)
        let radius = max(StandFinder.radiusMeters, min(accuracyMeters, 2 * StandFinder.radiusMeters))
        var arrival = epochs.count
        // One epoch in ten may lie outside: a jump of the position is no way.
        var outside = 0
        for index in epochs.indices.reversed() where epochs[index].time >= limit {
            if center.distanceMeters(to: epochs[index].coordinate) <= radius {
                arrival = index
            } else {
                outside += 1
                if outside * 10 > epochs.count - index || !isJump(at: index) { break }
            }
        }
        guard arrival <= first else { return nil }
        let begin = settled(from: arrival, to: first)
        return newest.time.seconds(since: begin) >= intervalSeconds ? begin : nil
    }

    /// When the way began that the history ends in, seen from a stay: what moved without a rest before it was out of the
    /// stay's noise has set out then, but steps about the place are no way.
    func departure(from center: Coordinate, radiusMeters: Double, after limit: Timestamp) -> Timestamp? {
        let isAway: (Epoch) -> Bool = { center.distanceMeters(to: $0.coordinate) > radiusMeters }
        let inside = epochs.lastIndex { !isAway($0) } ?? -1
        guard inside + 1 < epochs.count else { return nil }
        let left = start(of: inside + 1)
        var begin = left
        var index = inside
        while index > 0, !movements[index].isHalt, left.seconds(since: start(of: index)) <= StandFinder.setOutSeconds {
            begin = start(of: index)
            index -= 1
        }
        return max(begin, limit)
    }

    /// The epoch that the interval reaches back to.
    private func firstIndex(before newest: Timestamp, bySeconds seconds: Double, after limit: Timestamp) -> Int? {
        guard newest.seconds(since: limit) >= seconds else { return nil }
        return epochs.lastIndex { newest.seconds(since: $0.time) >= seconds }
    }

    /// Whether the epoch lies away from both its neighbours, which lie together.
    private func isJump(at index: Int) -> Bool {
        guard index > 0, index + 1 < epochs.count else { return true }
        let neighbors = epochs[index - 1].coordinate.distanceMeters(to: epochs[index + 1].coordinate)
        return neighbors < epochs[index - 1].coordinate.distanceMeters(to: epochs[index].coordinate)
    }

    /// The centre of what came after an instant.
    func center(from begin: Timestamp, noise fix: Fix) -> RobustCenter {
        var center: RobustCenter?
        for epoch in epochs where epoch.time >= begin {
            var point = fix
            point.timestamp = epoch.time
            point.coordinate = epoch.coordinate
            if center == nil { center = RobustCenter(at: point) } else { center?.add(point) }
        }
        return center ?? RobustCenter(at: fix)
    }

    private func medianCenter(from first: Int) -> Coordinate {
        let plane = LocalPlane(origin: epochs[first].coordinate)
        let points = epochs[first...].map { plane.eastNorthMeters(of: $0.coordinate) }
        let east = points.map(\.eastMeters).sorted()
        let north = points.map(\.northMeters).sorted()
        return plane.coordinate(
            of: LocalPoint(eastMeters: east[east.count / 2], northMeters: north[north.count / 2]))
    }

    /// When it came to rest after it had arrived: the end of the last way in, as far as the movement says so.
    private func settled(from arrival: Int, to first: Int) -> Timestamp {
        for index in arrival...first where movements[index].isHalt { return start(of: index) }
        return start(of: arrival)
    }
}
