/// Finds two edges that cross or overlap. Only edges in the same squares of a grid are compared.
struct EdgeIntersectionSearch {
    /// The greatest number of comparisons (a fifth of a second). Outlines of places need some dozens per edge; only
    /// shapes such as a comb of thousands of long teeth need more.
    static let maximumComparisons = 40_000_000
    private static let maximumEntriesPerEdge = 32
    private static let maximumColumns = 1024

    /// The number of edges up to which a grid costs more than it saves.
    private static let maximumEdgesWithoutGrid = 1024
    private static let edgesPerChunk = 8

    private struct Edge {
        var x: Double
        var y: Double
        var endX: Double
        var endY: Double

        @inline(__always)
        func boxIntersects(_ other: Edge) -> Bool {
            max(x, endX) >= min(other.x, other.endX) && max(other.x, other.endX) >= min(x, endX)
                && max(y, endY) >= min(other.y, other.endY) && max(other.y, other.endY) >= min(y, endY)
        }
    }

    /// Consecutive edges and their box.
    private struct Chunk {
        var edges: Range<Int>
        private var minX = Double.infinity
        private var minY = Double.infinity
        private var maxX = -Double.infinity
        private var maxY = -Double.infinity

        init(_ all: UnsafeBufferPointer<Edge>, _ edges: Range<Int>) {
            self.edges = edges
            for index in edges {
                let edge = all[index]
                minX = min(minX, edge.x, edge.endX)
                minY = min(minY, edge.y, edge.endY)
                maxX = max(maxX, edge.x, edge.endX)
                maxY = max(maxY, edge.y, edge.endY)
            }
        }

        @inline(__always)
        func boxIntersects(_ other: Chunk) -> Bool {
            maxX >= other.minX && other.maxX >= minX && maxY >= other.minY && other.maxY >= minY
        }
    }

    private var edges: [Edge] = []
    /// The index in ``edges`` at which each ring's edges end.
    private var ringEnds: [Int] = []

    init(rings: [[(x: Double, y: Double)]]) {
        edges.reserveCapacity(rings.reduce(0) { $0 + $1.count })
        for ring in rings {
            // A repeated point makes no edge. What programs compute repeats points within the resolution of a Double.
            var start = ring.first ?? (0, 0)
            for end in ring where abs(end.x - start.x) + abs(end.y - start.y) > PlanarTolerance.degrees {
                edges.append(Edge(x: start.x, y: start.y, endX: end.x, endY: end.y))
                start = end
            }
            ringEnds.append(edges.count)
        }
    }

    /// Returns the first crossing or overlap found, or that the search was too complex; nil if there is none.
    func firstFault() -> RingFault? {
        if let edge = firstSpikeEdge() { return fault(.overlap, edge, previous(edge)) }
        if edges.count <= Self.maximumEdgesWithoutGrid { return edges.withUnsafeBufferPointer(firstFaultByChunks) }
        let grid = EdgeGrid(
            edges: edges.count, maximumColumns: Self.maximumColumns, maximumEntriesPerEdge: Self.maximumEntriesPerEdge
        ) {
            (edges[$0].x, edges[$0].y, edges[$0].endX, edges[$0].endY)
        }
        return edges.withUnsafeBufferPointer { edges in
            var tests = 0
            for cell in 0..<grid.cellCount {
                let fault = grid.withEdges(ofCell: cell) { entries in
                    tests += entries.count * (entries.count - 1) / 2
                    return tests > Self.maximumComparisons ? RingFault.tooComplex : firstFault(among: entries, edges)
                }
                if let fault { return fault }
            }
            return nil
        }
    }

    /// Compares the boxes of chunks of consecutive edges, and then the edges of chunks whose boxes intersect.
    private func firstFaultByChunks(_ edges: UnsafeBufferPointer<Edge>) -> RingFault? {
        let chunks = stride(from: 0, to: edges.count, by: Self.edgesPerChunk).map { start in
            Chunk(edges, start..<min(start + Self.edgesPerChunk, edges.count))
        }
        return chunks.withUnsafeBufferPointer { chunks in
            for one in chunks.indices {
                for other in one..<chunks.count where chunks[one].boxIntersects(chunks[other]) {
                    if let fault = fault(between: chunks[one], chunks[other], edges) { return fault }
                }
            }
            return nil
        }
    }

    private func fault(
        between one: Chunk, _ other: Chunk, _ edges: UnsafeBufferPointer<Edge>
    ) -> RingFault? {
        for first in one.edges {
            let edge = edges[first]
            for second in max(first + 1, other.edges.lowerBound)..<max(first + 1, other.edges.upperBound) {
                guard edge.boxIntersects(edges[second]), Self.mayIntersect(edge, edges[second]) else { continue }
                if let contact = contact(first, second) { return fault(contact, first, second) }
            }
        }
        return nil
    }

    private func firstFault(among entries: UnsafeBufferPointer<Int32>, _ edges: UnsafeBufferPointer<Edge>) -> RingFault?
    {
        for place in entries.indices {
            let first = Int(entries[place])
            let edge = edges[first]
            for other in place + 1..<entries.count {
                let second = Int(entries[other])
                guard edge.boxIntersects(edges[second]), Self.mayIntersect(edge, edges[second]) else { continue }
                if let contact = contact(first, second) { return fault(contact, first, second) }
            }
        }
        return nil
    }

    /// Whether neither of two edges is entirely on one side of the other's line.
    @inline(__always)
    private static func mayIntersect(_ a: Edge, _ b: Edge) -> Bool {
        let (dx, dy) = (a.endX - a.x, a.endY - a.y)
        let slack = PlanarTolerance.degrees * (abs(dx) + abs(dy))
        let start = dx * (b.y - a.y) - dy * (b.x - a.x)
        let end = dx * (b.endY - a.y) - dy * (b.endX - a.x)
        return min(start, end) <= slack && max(start, end) >= -slack
    }

    private enum Contact { case crossing, overlap }

    private func fault(_ contact: Contact, _ first: Int, _ second: Int) -> RingFault {
        let (one, other) = (ring(of: first), ring(of: second))
        let (x, y) = intersectionPoint(first, second)
        return contact == .crossing
            ? .crossing(ring: min(one, other), other: max(one, other), longitude: x, latitude: y)
            : .overlap(ring: min(one, other), other: max(one, other), longitude: x, latitude: y)
    }

    private func ring(of edge: Int) -> Int {
        if edge < ringEnds[0] { return 0 }
        var (low, high) = (0, ringEnds.count - 1)
        while low < high {
            let middle = (low + high) / 2
            if ringEnds[middle] > edge { high = middle } else { low = middle + 1 }
        }
        return low
    }

    /// Returns the intersection of the lines of two edges, or the middle of the first edge if it does not contain it.
    private func intersectionPoint(_ first: Int, _ second: Int) -> (Double, Double) {
        let (edge, other) = (edges[first], edges[second])
        let (along, across) = (vector(first), vector(second))
        let offset = (x: other.x - edge.x, y: other.y - edge.y)
        var share = Self.cross(offset, across) / Self.cross(along, across)
        if !(0...1).contains(share) { share = 0.5 }
        return (edge.x + share * along.x, edge.y + share * along.y)
    }

    // MARK: Contacts

    private typealias Vector = (x: Double, y: Double)

    private func vector(_ edge: Int) -> Vector {
        (edges[edge].endX - edges[edge].x, edges[edge].endY - edges[edge].y)
    }

    private func previous(_ edge: Int) -> Int {
        let ring = ring(of: edge)
        let start = ring == 0 ? 0 : ringEnds[ring - 1]
        return edge == start ? ringEnds[ring] - 1 : edge - 1
    }

    private static func cross(_ a: Vector, _ b: Vector) -> Double { a.x * b.y - a.y * b.x }

    /// Returns an edge that goes back along the edge before it.
    private func firstSpikeEdge() -> Int? {
        var start = 0
        for end in ringEnds {
            var before = end - 1
            for edge in start..<end {
                let (came, goes) = (vector(before), vector(edge))
                if Self.isSameDirection((-came.x, -came.y), goes) { return edge }
                before = edge
            }
            start = end
        }
        return nil
    }

    /// Whether two vectors have the same direction: the end of the shorter one is on the longer one.
    private static func isSameDirection(_ a: Vector, _ b: Vector) -> Bool {
        let longer = max(abs(a.x) + abs(a.y), abs(b.x) + abs(b.y))
        return abs(cross(a, b)) <= PlanarTolerance.degrees * longer && a.x * b.x + a.y * b.y > 0
    }

    private func contact(_ first: Int, _ second: Int) -> Contact? {
        guard previous(first) != second, previous(second) != first, first != second else { return nil }
        let (a, b) = (edges[first], edges[second])
        let (along, across) = (vector(first), vector(second))
        let slackAlong = PlanarTolerance.degrees * (abs(along.x) + abs(along.y))
        let slackAcross = PlanarTolerance.degrees * (abs(across.x) + abs(across.y))
        let start = Self.cross(along, (b.x - a.x, b.y - a.y))
        let end = Self.cross(along, (b.endX - a.x, b.endY - a.y))
        let otherStart = Self.cross(across, (a.x - b.x, a.y - b.y))
        let otherEnd = Self.cross(across, (a.endX - b.x, a.endY - b.y))
        if Self.areOnOppositeSides(start, end, slackAlong), Self.areOnOppositeSides(otherStart, otherEnd, slackAcross) {
            return .crossing
        }
        if abs(otherStart) <= slackAcross, let contact = vertexContact(startOf: first, on: second) { return contact }
        if abs(start) <= slackAlong, let contact = vertexContact(startOf: second, on: first) { return contact }
        return nil
    }

    private static func areOnOppositeSides(_ one: Double, _ other: Double, _ slack: Double) -> Bool {
        (one > slack && other < -slack) || (one < -slack && other > slack)
    }

    /// Returns the contact at the start of an edge, if that point is on another edge. The end of the other edge is
    /// excluded, because it belongs to the next edge.
    private func vertexContact(startOf edge: Int, on other: Int) -> Contact? {
        let point = edges[edge]
        let along = vector(other)
        let offset = (x: point.x - edges[other].x, y: point.y - edges[other].y)
        let length = along.x * along.x + along.y * along.y
        let share = (along.x * offset.x + along.y * offset.y) / length
        let slack = PlanarTolerance.degrees / length.squareRoot()
        guard share >= -slack, share < 1 - slack else { return nil }
        // The directions from the point along both lines, backwards and forwards.
        let start = share <= slack ? edges[previous(other)] : edges[other]
        let back = (x: start.x - point.x, y: start.y - point.y)
        let ahead = (x: edges[other].endX - point.x, y: edges[other].endY - point.y)
        let before = edges[previous(edge)]
        let (came, goes) = ((x: before.x - point.x, y: before.y - point.y), vector(edge))
        for one in [came, goes] where Self.isSameDirection(one, back) || Self.isSameDirection(one, ahead) {
            return .overlap
        }
        return Self.isBetween(came, ahead, back) != Self.isBetween(goes, ahead, back) ? .crossing : nil
    }

    /// Whether a direction is in the anticlockwise sector from one direction to another.
    private static func isBetween(_ direction: Vector, _ from: Vector, _ to: Vector) -> Bool {
        let isBehindFrom = cross(from, direction) > 0
        let isBeforeTo = cross(direction, to) > 0
        return cross(from, to) > 0 ? isBehindFrom && isBeforeTo : isBehindFrom || isBeforeTo
    }
}
