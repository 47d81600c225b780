import Geodesy

/// What is wrong with the rings of a polygon.
enum RingFault: Hashable {
    /// Edges of two rings, or of one, cross at about this place.
    case crossing(ring: Int, other: Int, longitude: Double, latitude: Double)
    /// Edges of two rings, or of one, run over each other from about this place.
    case overlap(ring: Int, other: Int, longitude: Double, latitude: Double)
    /// A hole that is not within the outer ring.
    case holeOutside(hole: Int)
    /// A hole that lies within another.
    case nestedHole(hole: Int, within: Int)
    /// All points on one line.
    case zeroArea(ring: Int)
    /// So many edges side by side that nobody can say in a reasonable time.
    case tooComplex
}

/// Looks whether rings are simple and holes are inside, in the plane of longitude and latitude where RFC 7946 has its edges.
///
/// Rings may touch themselves and each other in points: what is inside is clear all the same. They must not cross, nor run along each
/// other.
struct RingValidator {
    /// A polygon's rings, on over the antimeridian; the first is the outer one.
    let rings: [UnwrappedRing]

    /// - Returns: the first fault; nil where there is none.
    func firstFault() -> RingFault? {
        for (index, ring) in rings.enumerated() where Self.doubledSignedArea(ring.points) == 0 {
            return .zeroArea(ring: index)
        }
        let isCertain = rings.count == 1 && Self.isStarShaped(rings[0].points)
        if !isCertain, let fault = EdgeIntersectionSearch(rings: rings.map(\.points)).firstFault() { return fault }
        return rings.count > 1 ? misplacedHole() : nil
    }

    /// Twice the area, above 0 where the ring goes round anticlockwise.
    static func doubledSignedArea(_ points: [(x: Double, y: Double)]) -> Double {
        guard let first = points.first else { return 0 }
        var sum = 0.0
        for index in 1..<max(points.count, 1) {
            let (a, b) = (points[index - 1], points[index])
            sum += (a.x - first.x) * (b.y - first.y) - (b.x - first.x) * (a.y - first.y)
        }
        return sum
    }

    /// Whether a ring goes once round the mean of its points, always in the same sense: such a ring cannot cross itself, and most
    /// outlines are of that kind.
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
            // Up over the horizontal: once a turn where the sense does not change.
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
        // By their western ends, so that only such are compared whose boxes may meet.
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

    /// Whether a ring that does not cross another lies within it; nil where each of its points is on the other's edge.
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

    /// By how often a ray to the east meets the ring.
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

/// How near is on.
enum PlanarTolerance {
    /// A tenth of a micrometre: a thousand times what a Double of 180 can tell apart, a thousandth of how exactly an edge is kept.
    static let degrees = 1e-12
}
