import OdographGeodesy

/// A fault of the rings of a polygon.
enum RingFault: Hashable {
    /// Edges of one ring or of two rings cross near this place.
    case crossing(ring: Int, other: Int, longitude: Double, latitude: Double)
    /// Edges of one ring or of two rings overlap from near this place on.
    case overlap(ring: Int, other: Int, longitude: Double, latitude: Double)
    /// A hole is not inside the outer ring.
    case holeOutside(hole: Int)
    /// A hole is inside another hole.
    case nestedHole(hole: Int, within: Int)
    /// All points are on one line.
    case zeroArea(ring: Int)
    /// There are too many adjacent edges to decide in a reasonable time.
    case tooComplex
}

/// Checks that rings are simple and that holes are inside, in the plane of longitude and latitude (RFC 7946).
///
/// Rings may touch themselves and each other in points: the interior is still defined. They must not cross or overlap.
struct RingValidator {
    /// The rings of a polygon, unwrapped at the antimeridian. The first is the outer ring.
    let rings: [UnwrappedRing]

    /// Returns the first fault; nil if there is none.
    func firstFault() -> RingFault? {
        // A ring that crosses itself can have no area either: its parts cancel.
        for (index, ring) in rings.enumerated() where Self.isOnOneLine(ring.points) { return .zeroArea(ring: index) }
        let isCertain = rings.count == 1 && Self.isStarShaped(rings[0].points)
        if !isCertain, let fault = EdgeIntersectionSearch(rings: rings.map(\.points)).firstFault() { return fault }
        return rings.count > 1 ? misplacedHole() : nil
    }

    /// Whether all points are on one line. Their decimal numbers are rounded, so a line is as wide as an edge.
    static func isOnOneLine(_ points: [(x: Double, y: Double)]) -> Bool {
        guard let first = points.first else { return true }
        func span(_ point: (x: Double, y: Double)) -> Double { abs(point.x - first.x) + abs(point.y - first.y) }
        guard let farthest = points.max(by: { span($0) < span($1) }) else { return true }
        let (dx, dy) = (farthest.x - first.x, farthest.y - first.y)
        let slack = PlanarTolerance.degrees * (abs(dx) + abs(dy))
        return points.allSatisfy { abs(dx * ($0.y - first.y) - dy * ($0.x - first.x)) <= slack }
    }

    /// Returns twice the area, above 0 for an anticlockwise ring.
    static func doubledSignedArea(_ points: [(x: Double, y: Double)]) -> Double {
        guard let first = points.first else { return 0 }
        var sum = 0.0
        for index in 1..<max(points.count, 1) {
            let (a, b) = (points[index - 1], points[index])
            sum += (a.x - first.x) * (b.y - first.y) - (b.x - first.x) * (a.y - first.y)
        }
        return sum
    }

    /// Whether a ring goes once round the mean of its points without a change of direction. Such a ring cannot cross
    /// itself. Most outlines are of this kind.
    static func isStarShaped(_ points: [(x: Double, y: Double)]) -> Bool {
        let count = Double(points.count - 1)
        let sum = points.dropLast().reduce((0.0, 0.0)) { ($0.0 + $1.x, $0.1 + $1.y) }
        let center = (x: sum.0 / count, y: sum.1 / count)
        var (left, right, turns) = (0, 0, 0)
        var last = (x: points[0].x - center.x, y: points[0].y - center.y)
        for point in points.dropFirst() {
            let next = (x: point.x - center.x, y: point.y - center.y)
            let cross = last.x * next.y - next.x * last.y
            if cross > 0 { left += 1 }
            if cross < 0 { right += 1 }
            // Upward crossings of the horizontal: one per turn if the direction does not change.
            if last.y < 0, next.y >= 0 { turns += 1 }
            last = next
        }
        return turns == 1 && (left == points.count - 1 || right == points.count - 1)
    }

    // MARK: Holes

    private func misplacedHole() -> RingFault? {
        var effort = 0
        for hole in 1..<rings.count {
            effort += rings[0].points.count
            guard effort < EdgeIntersectionSearch.maximumComparisons else { return .tooComplex }
            if Self.lies(rings[hole], within: rings[0]) == false { return .holeOutside(hole: hole) }
        }
        // Sorted by western ends, so that only holes whose boxes may intersect are compared.
        let order = (1..<rings.count).sorted { rings[$0].minX < rings[$1].minX }
        for (place, hole) in order.enumerated() {
            for other in order[(place + 1)...] {
                guard rings[other].minX <= rings[hole].maxX else { break }
                effort += rings[hole].points.count + rings[other].points.count
                guard effort < EdgeIntersectionSearch.maximumComparisons else { return .tooComplex }
                if Self.lies(rings[other], within: rings[hole]) == true {
                    return .nestedHole(hole: other, within: hole)
                }
                if Self.lies(rings[hole], within: rings[other]) == true {
                    return .nestedHole(hole: hole, within: other)
                }
            }
        }
        return nil
    }

    /// Whether a ring is inside another one that it does not cross; nil if all its points are on the other's edge.
    private static func lies(_ ring: UnwrappedRing, within outer: UnwrappedRing) -> Bool? {
        guard ring.minX >= outer.minX, ring.maxX <= outer.maxX, ring.minY >= outer.minY, ring.maxY <= outer.maxY else {
            return false
        }
        for point in ring.points {
            switch side(of: point, outer.points) {
            case .inside: return true
            case .outside: return false
            case .edge: continue
            }
        }
        return nil
    }

    private enum Side { case inside, outside, edge }

    /// Returns the side of a ring on which a point is, by the number of crossings of the ray to the east.
    private static func side(of point: (x: Double, y: Double), _ ring: [(x: Double, y: Double)]) -> Side {
        var isInside = false
        for index in 1..<ring.count {
            let (a, b) = (ring[index - 1], ring[index])
            let (dx, dy) = (b.x - a.x, b.y - a.y)
            let cross = dx * (point.y - a.y) - dy * (point.x - a.x)
            let isBeside =
                min(a.x, b.x) <= point.x && point.x <= max(a.x, b.x) && min(a.y, b.y) <= point.y
                && point.y <= max(a.y, b.y)
            if isBeside, abs(cross) <= PlanarTolerance.degrees * (abs(dx) + abs(dy)) { return .edge }
            if (a.y > point.y) != (b.y > point.y), (cross > 0) == (dy > 0) { isInside.toggle() }
        }
        return isInside ? .inside : .outside
    }
}

/// The distance at which a point counts as on an edge.
enum PlanarTolerance {
    /// Degrees: 0.1 µm, 35 times the resolution of a Double at 180, a thousandth of the accuracy of edges.
    static let degrees = 1e-12
}
