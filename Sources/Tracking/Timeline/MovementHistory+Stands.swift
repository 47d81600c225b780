import CivilTime
import Geodesy

/// Where a stand began.
extension MovementHistory {
    /// When the stand that the history ends in began; nil where it does not end in one of the interval's length.
    /// - Parameter limit: the stand began no earlier.
    func standStart(intervalSeconds: Double, accuracyMeters: Double, after limit: Timestamp) -> Timestamp? {
        guard let newest = epochs.last else { return nil }
        let first = firstIndex(before: newest.time, bySeconds: intervalSeconds, after: limit)
        guard let first else { return nil }
        let center = medianCenter(of: first..<epochs.count)
        let radius = figures.stayRadiusMeters(accuracyMeters: accuracyMeters)
        let entry = arrival(at: center, after: limit) { _ in radius }
        guard entry <= first else { return nil }
        // Who comes in from 25 m away is still on the way there; what never settles has arrived all the same.
        let core = arrival(at: center, after: limit) { RobustCenter.coreMeters(accuracyMeters: $0.accuracyMeters) }
        let begin = settled(from: max(entry, core))
        return newest.time.seconds(since: begin) >= intervalSeconds / 2 ? begin : settled(from: entry)
    }

    /// The first epoch of those at the end that all lie within a radius of a place.
    private func arrival(at center: Coordinate, after limit: Timestamp, radiusMeters: (Epoch) -> Double) -> Int {
        var arrival = epochs.count
        // One epoch in ten may lie outside: a jump of the position is no way.
        var outside = 0
        for index in epochs.indices.reversed() where epochs[index].time >= limit {
            if center.distanceMeters(to: epochs[index].coordinate) <= radiusMeters(epochs[index]) {
                arrival = index
            } else {
                outside += 1
                if outside * 10 > epochs.count - index || !isJump(at: index) { break }
            }
        }
        return arrival
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

    /// The medians of both coordinates of some epochs.
    func medianCenter(of range: Range<Int>) -> Coordinate {
        func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }
        let plane = LocalPlane(origin: epochs[range.lowerBound].coordinate)
        let points = epochs[range].map { plane.eastNorthMeters(of: $0.coordinate) }
        return plane.coordinate(
            of: LocalPoint(
                eastMeters: median(points.map(\.eastMeters)), northMeters: median(points.map(\.northMeters))))
    }

    /// When it had arrived: a vehicle is not there before it stands, whoever walks is.
    private func settled(from arrival: Int) -> Timestamp {
        let isDriving = epochs.indices.contains {
            ($0 == arrival || $0 == arrival - 1)
                && epochs[$0].speedMetersPerSecond >= figures.walkLimitMetersPerSecond
        }
        let limit = isDriving ? figures.restMetersPerSecond : figures.walkLimitMetersPerSecond
        let index = epochs.indices.first {
            $0 >= arrival && (movements[$0].isHalt || epochs[$0].speedMetersPerSecond < limit)
        }
        return middle(of: index ?? epochs.count - 1)
    }
}
