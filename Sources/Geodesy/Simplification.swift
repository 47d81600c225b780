/// Returns the points of a simplified line (Ramer 1972, Douglas and Peucker 1973). No omitted point is farther from the
/// simplified line than the tolerance, unless `maximumCount` is reached.
///
/// The worst section is split first, so that `maximumCount` keeps the points that matter most. Memory is linear in the
/// number of points; there is no recursion.
/// - Parameters:
///   - points: The line.
///   - toleranceMeters: The greatest distance of a point from the simplified line, metres; a negative one counts as 0.
///   - maximumCount: The greatest number of points to keep, at least 2 (the ends).
/// - Returns: The indices of the points to keep, ascending, with both ends. Repeated points are omitted.
public func simplified(
    _ points: some RandomAccessCollection<Coordinate>, toleranceMeters: Double, maximumCount: Int = .max
) -> [Int] {
    let line = Array(points)
    guard line.count > 2 else { return Array(line.indices) }
    let tolerance = toleranceMeters.isNaN ? 0 : max(0, toleranceMeters)
    var kept = [0, line.count - 1]
    var stretches = LineSectionHeap()
    stretches.insert(LineSection(worstOf: line, from: 0, to: line.count - 1))
    while kept.count < max(2, maximumCount), let worst = stretches.popWorst(), worst.deviationMeters > tolerance {
        kept.append(worst.middle)
        if worst.middle - worst.start > 1 {
            stretches.insert(LineSection(worstOf: line, from: worst.start, to: worst.middle))
        }
        if worst.end - worst.middle > 1 {
            stretches.insert(LineSection(worstOf: line, from: worst.middle, to: worst.end))
        }
    }
    return kept.sorted()
}

/// A part of a line between two kept points, and the point between them that lies farthest from the chord.
private struct LineSection {
    let start: Int
    let end: Int
    let middle: Int
    let deviationMeters: Double

    init(worstOf line: [Coordinate], from start: Int, to end: Int) {
        // The origin is the middle of the chord, where accuracy matters.
        let plane = LocalPlane(origin: line[start].midpoint(to: line[end]))
        let from = plane.eastNorthMeters(of: line[start])
        let to = plane.eastNorthMeters(of: line[end])
        var worst = start
        var deviation = -1.0
        for index in (start + 1)..<max(end, start + 1) {
            let distance = plane.eastNorthMeters(of: line[index]).distanceMeters(toSegmentFrom: from, to: to)
            if distance > deviation {
                deviation = distance
                worst = index
            }
        }
        self.start = start
        self.end = end
        middle = worst
        deviationMeters = deviation
    }
}

/// A binary heap with the worst section on top. Of equal sections the earlier is first, so that results are repeatable.
private struct LineSectionHeap {
    private var items: [LineSection] = []

    private func isWorse(_ left: Int, _ right: Int) -> Bool {
        let (a, b) = (items[left], items[right])
        return a.deviationMeters == b.deviationMeters ? a.start < b.start : a.deviationMeters > b.deviationMeters
    }

    mutating func insert(_ stretch: LineSection) {
        items.append(stretch)
        var child = items.count - 1
        while child > 0, isWorse(child, (child - 1) / 2) {
            items.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    mutating func popWorst() -> LineSection? {
        guard let top = items.first else { return nil }
        let last = items.removeLast()
        guard !items.isEmpty else { return top }
        items[0] = last
        var parent = 0
        while true {
            var worst = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < items.count && isWorse(child, worst) {
                worst = child
            }
            if worst == parent { return top }
            items.swapAt(parent, worst)
            parent = worst
        }
    }
}

extension Coordinate {
    /// Returns the middle of the shorter way round in longitude and latitude.
    fileprivate func midpoint(to other: Coordinate) -> Coordinate {
        let half = longitudeDifferenceDegrees(from: longitudeDegrees, to: other.longitudeDegrees) / 2
        return Coordinate(
            clampingLatitudeDegrees: (latitudeDegrees + other.latitudeDegrees) / 2,
            wrappingLongitudeDegrees: longitudeDegrees + half)
    }
}
