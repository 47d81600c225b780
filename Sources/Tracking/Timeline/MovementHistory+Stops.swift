import CivilTime
import Geodesy
import OdographModel

/// Where a stand began.
extension MovementHistory {
    /// When the stand that the history ends in began; nil where it does not end in one of the interval's length.
    /// - Parameter limit: the stand began no earlier.
    func stopStart(intervalSeconds: Double, accuracyMeters: Double, after limit: Timestamp) -> Timestamp? {
        guard let newest = windows.last else { return nil }
        let first = firstIndex(before: newest.time, bySeconds: intervalSeconds, after: limit)
        guard let first else { return nil }
        let center = medianCenter(of: first..<windows.count)
        let radius = parameters.stopRadiusMeters(accuracyMeters: accuracyMeters)
        let entry = arrivalIndex(at: center, after: limit) { _ in radius }
        guard entry <= first else { return nil }
        // Who comes in from 25 m away is still on the way there; what never settles has arrived all the same.
        let core = arrivalIndex(at: center, after: limit) {
            RobustCenter.coreRadiusMeters(accuracyMeters: $0.accuracyMeters)
        }
        let begin = arrivalTime(from: max(entry, core))
        return newest.time.seconds(since: begin) >= intervalSeconds / 2 ? begin : arrivalTime(from: entry)
    }

    /// The first epoch of those at the end that all lie within a radius of a place.
    private func arrivalIndex(at center: Coordinate, after limit: Timestamp, radiusMeters: (MotionWindow) -> Double)
        -> Int
    {
        var arrival = windows.count
        // One epoch in ten may lie outside: a jump of the position is no way.
        var outside = 0
        for index in windows.indices.reversed() where windows[index].time >= limit {
            if center.distanceMeters(to: windows[index].coordinate) <= radiusMeters(windows[index]) {
                arrival = index
            } else {
                outside += 1
                if outside * 10 > windows.count - index || !isJump(at: index) { break }
            }
        }
        return arrival
    }

    /// The epoch that the interval reaches back to.
    private func firstIndex(before newest: Timestamp, bySeconds seconds: Double, after limit: Timestamp) -> Int? {
        guard newest.seconds(since: limit) >= seconds else { return nil }
        return windows.lastIndex { newest.seconds(since: $0.time) >= seconds }
    }

    /// Whether the epoch lies away from both its neighbours, which lie together.
    private func isJump(at index: Int) -> Bool {
        guard index > 0, index + 1 < windows.count else { return true }
        let neighbors = windows[index - 1].coordinate.distanceMeters(to: windows[index + 1].coordinate)
        return neighbors < windows[index - 1].coordinate.distanceMeters(to: windows[index].coordinate)
    }

    /// The centre of what came after an instant.
    func center(from begin: Timestamp, noise fix: Fix) -> RobustCenter {
        var center: RobustCenter?
        for epoch in windows where epoch.time >= begin {
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
        let plane = LocalPlane(origin: windows[range.lowerBound].coordinate)
        let points = windows[range].map { plane.eastNorthMeters(of: $0.coordinate) }
        return plane.coordinate(
            of: LocalPoint(
                eastMeters: median(points.map(\.eastMeters)), northMeters: median(points.map(\.northMeters))))
    }

    /// When it had arrived: a vehicle is not there before it stands, whoever walks is.
    private func arrivalTime(from arrival: Int) -> Timestamp {
        let isDriving = windows.indices.contains {
            ($0 == arrival || $0 == arrival - 1)
                && windows[$0].speedMetersPerSecond >= parameters.walkLimitMetersPerSecond
        }
        let limit = isDriving ? parameters.stoppedThresholdMetersPerSecond : parameters.walkLimitMetersPerSecond
        let index = windows.indices.first {
            $0 >= arrival && (states[$0].isStationary || windows[$0].speedMetersPerSecond < limit)
        }
        return midpoint(of: index ?? windows.count - 1)
    }
}
