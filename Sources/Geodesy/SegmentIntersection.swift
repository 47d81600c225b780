/// The parts of a segment between two points that are inside a shape, with reusable working memory.
///
/// The segment is straight in longitude and latitude, the shorter way round. Fractions run from 0 (start) to 1 (end).
public struct SegmentIntersection: Sendable {
    /// The parts inside, ascending and disjoint. A part has no length if the segment only touches the edge.
    public private(set) var insideFractions: [ClosedRange<Double>] = []
    private var edgeFractions: [Double] = []

    /// Creates an empty intersection.
    public init() {
        insideFractions.reserveCapacity(16)
        edgeFractions.reserveCapacity(64)
    }

    /// Removes all parts and keeps the memory.
    mutating func clear() {
        insideFractions.removeAll(keepingCapacity: true)
    }

    /// Replaces all parts by one.
    mutating func set(_ part: ClosedRange<Double>) {
        clear()
        insideFractions.append(part)
    }

    mutating func find(_ bytes: RawSpan, at offset: Int, from start: Coordinate, to end: Coordinate) {
        clear()
        let header = ShapeHeader(bytes, at: offset)
        let way = CoordinateSegment(from: start, to: end)
        switch header.kind {
        case .polygon:
            intersectPolygonEdges(bytes, offset, header, way)
            findInPolygon(bytes, offset, header, way)
        case .circle:
            let center = Coordinate(uncheckedLatitudeDegrees: header.latitude, longitudeDegrees: header.longitude)
            addConvexPart(limit: header.meters) { center.distanceMeters(to: way.coordinate(atFraction: $0)) }
            merge()
        case .corridor: findInCorridor(bytes, offset, header, way)
        }
    }

    // MARK: Polygons

    /// Finds the parts inside a polygon of a segment whose ends are both outside. Most such segments cross no edge,
    /// which saves the containment tests.
    mutating func findCrossing(
        _ bytes: RawSpan, polygonAt offset: Int, from start: Coordinate, to end: Coordinate
    ) {
        clear()
        let header = ShapeHeader(bytes, at: offset)
        let way = CoordinateSegment(from: start, to: end)
        intersectPolygonEdges(bytes, offset, header, way)
        if !edgeFractions.isEmpty { findInPolygon(bytes, offset, header, way) }
    }

    /// Returns the fraction at which a segment with one end inside a polygon crosses its edge; of several crossings,
    /// the one nearest to the outer end. Most segments cross one edge once.
    mutating func edgeFraction(
        _ bytes: RawSpan, polygonAt offset: Int, from start: Coordinate, to end: Coordinate, startIsInside: Bool
    ) -> Double? {
        clear()
        let header = ShapeHeader(bytes, at: offset)
        let way = CoordinateSegment(from: start, to: end)
        intersectPolygonEdges(bytes, offset, header, way)
        if edgeFractions.count == 1 { return edgeFractions[0] }
        findInPolygon(bytes, offset, header, way)
        return startIsInside ? insideFractions.last?.upperBound : insideFractions.first?.lowerBound
    }

    /// Finds the fractions at which a segment crosses the edges of a polygon.
    private mutating func intersectPolygonEdges(
        _ bytes: RawSpan, _ offset: Int, _ header: ShapeHeader, _ way: CoordinateSegment
    ) {
        edgeFractions.removeAll(keepingCapacity: true)
        let scale = 1 / header.quantum
        let turn = 360 * scale
        let step = (x: way.longitudeDegrees * scale, y: way.latitudeDegrees * scale)
        var x = header.x(ofLongitude: way.start.longitudeDegrees) - turn
        let y = header.y(ofLatitude: way.start.latitudeDegrees)
        while min(x, x + step.x) <= header.width + header.tolerance {
            if max(x, x + step.x) >= -header.tolerance {
                intersectEdges(
                    bytes, offset, header, EdgeIntersector(x: x, y: y, step: step, tolerance: header.tolerance))
            }
            x += turn
        }
    }

    /// Finds the parts between crossings that are inside.
    private mutating func findInPolygon(
        _ bytes: RawSpan, _ offset: Int, _ header: ShapeHeader, _ way: CoordinateSegment
    ) {
        edgeFractions.append(0)
        edgeFractions.append(1)
        edgeFractions.sort()
        for index in edgeFractions.indices {
            let share = edgeFractions[index]
            if index > 0, share > edgeFractions[index - 1] {
                let middle = way.coordinate(atFraction: (edgeFractions[index - 1] + share) / 2)
                if Containment.contains(bytes, at: offset, middle) { add(edgeFractions[index - 1]...share) }
            }
            if share > 0, share < 1 {
                add(share...share)
            } else if Containment.contains(bytes, at: offset, way.coordinate(atFraction: share)) {
                add(share...share)
            }
        }
    }

    private mutating func intersectEdges(
        _ bytes: RawSpan, _ offset: Int, _ header: ShapeHeader, _ cutter: EdgeIntersector
    ) {
        var ringOffset = offset + ShapeHeader.byteCount
        for _ in 0..<header.ringCount {
            let ring = RingHeader(bytes, at: ringOffset, stride: header.stride)
            for chunk in 0..<ring.chunkCount {
                if ring.hasBoxes, !cutter.intersectsBox(bytes.box(ring.boxes, chunk, bits: header.bits)) { continue }
                let first = chunk << ring.chunkShift
                var start = bytes.vertex(ring.vertices, first, bits: header.bits)
                for index in first..<min(first + 1 << ring.chunkShift, ring.edgeCount) {
                    let end = bytes.vertex(ring.vertices, index + 1, bits: header.bits)
                    cutter.intersectEdge(start, end, into: &edgeFractions)
                    start = end
                }
            }
            ringOffset = ring.end
        }
    }

    /// Adds a part that begins no earlier than the last one.
    private mutating func add(_ part: ClosedRange<Double>) {
        // Two crossings at one vertex differ by rounding.
        if let last = insideFractions.last, part.lowerBound <= last.upperBound + 1e-12 {
            insideFractions[insideFractions.count - 1] = last.lowerBound...max(last.upperBound, part.upperBound)
        } else {
            insideFractions.append(part)
        }
    }

    // MARK: Circles and corridors

    private mutating func findInCorridor(
        _ bytes: RawSpan, _ offset: Int, _ header: ShapeHeader, _ way: CoordinateSegment
    ) {
        let ring = RingHeader(bytes, at: offset + ShapeHeader.byteCount, stride: header.stride)
        let turn = 360 / header.quantum
        let reach = header.meters * 1.01 + 1
        for index in 0..<ring.edgeCount {
            let start = bytes.vertex(ring.vertices, index, bits: header.bits)
            let end = bytes.vertex(ring.vertices, index + 1, bits: header.bits)
            let middle = (start.x + end.x) / 2
            func distance(_ share: Double) -> Double {
                let point = way.coordinate(atFraction: share)
                let scale = WGS84.Scale(latitudeDegrees: point.latitudeDegrees)
                var x = header.x(ofLongitude: point.longitudeDegrees)
                x -= ((x - middle) / turn).rounded() * turn
                let y = header.y(ofLatitude: point.latitudeDegrees)
                let found = BoundaryDistance.nearest(
                    (start.x - x, start.y - y), (end.x - x, end.y - y),
                    scale.eastMetersPerDegree * header.quantum, scale.northMetersPerDegree * header.quantum)
                return (found.east * found.east + found.north * found.north).squareRoot()
            }
            // By the triangle inequality, most edges are too far away.
            if distance(0) - way.lengthMeters > reach { continue }
            addConvexPart(limit: header.meters, distance)
        }
        merge()
    }

    /// Adds the part of the segment on which a distance that falls and then rises is within a limit.
    private mutating func addConvexPart(limit: Double, _ distance: (Double) -> Double) {
        let startIsInside = distance(0) <= limit
        let endIsInside = distance(1) <= limit
        if startIsInside, endIsInside { return insideFractions.append(0...1) }
        var nearest = startIsInside ? 0.0 : 1.0
        if !startIsInside, !endIsInside {
            var low = 0.0
            var high = 1.0
            for _ in 0..<60 {
                let third = (high - low) / 3
                let (atLow, atHigh) = (distance(low + third), distance(high - third))
                if atLow < atHigh { high -= third } else { low += third }
                nearest = atLow < atHigh ? low + third : high - third
                // Any point inside is sufficient.
                if min(atLow, atHigh) <= limit { break }
            }
            guard distance(nearest) <= limit else { return }
        }
        func edge(_ outside: Double) -> Double {
            var (outside, inside) = (outside, nearest)
            for _ in 0..<45 {
                let middle = (outside + inside) / 2
                if distance(middle) <= limit { inside = middle } else { outside = middle }
            }
            return inside
        }
        insideFractions.append((startIsInside ? 0 : edge(0))...(endIsInside ? 1 : edge(1)))
    }

    private mutating func merge() {
        guard insideFractions.count > 1 else { return }
        insideFractions.sort { $0.lowerBound < $1.lowerBound }
        var kept = 0
        for index in 1..<insideFractions.count {
            let (last, next) = (insideFractions[kept], insideFractions[index])
            if next.lowerBound <= last.upperBound {
                insideFractions[kept] = last.lowerBound...max(last.upperBound, next.upperBound)
            } else {
                kept += 1
                insideFractions[kept] = next
            }
        }
        insideFractions.removeSubrange((kept + 1)...)
    }
}

/// A segment that is straight in longitude and latitude.
struct CoordinateSegment {
    let start: Coordinate
    /// The longitude of the end minus that of the start, positive to the east.
    let longitudeDegrees: Double
    /// The latitude of the end minus that of the start, positive to the north.
    let latitudeDegrees: Double
    let lengthMeters: Double

    init(from start: Coordinate, to end: Coordinate) {
        self.start = start
        longitudeDegrees = longitudeDifferenceDegrees(from: start.longitudeDegrees, to: end.longitudeDegrees)
        latitudeDegrees = end.latitudeDegrees - start.latitudeDegrees
        // A degree is at most 112 km, so this is an upper bound of the length.
        lengthMeters = (abs(longitudeDegrees) + abs(latitudeDegrees)) * 112_000
    }

    func coordinate(atFraction share: Double) -> Coordinate {
        Coordinate(
            clampingLatitudeDegrees: start.latitudeDegrees + share * latitudeDegrees,
            wrappingLongitudeDegrees: start.longitudeDegrees + share * longitudeDegrees)
    }
}

/// Finds where a segment, in quanta of a shape, crosses the shape's edges.
struct EdgeIntersector {
    let x: Double
    let y: Double
    let step: (x: Double, y: Double)
    let tolerance: Double

    @inline(__always)
    func intersectsBox(_ box: (minX: Double, minY: Double, maxX: Double, maxY: Double)) -> Bool {
        max(x, x + step.x) >= box.minX - tolerance && min(x, x + step.x) <= box.maxX + tolerance
            && max(y, y + step.y) >= box.minY - tolerance && min(y, y + step.y) <= box.maxY + tolerance
    }

    @inline(__always)
    func intersectEdge(_ start: (x: Double, y: Double), _ end: (x: Double, y: Double), into cuts: inout [Double]) {
        guard intersectsBox((min(start.x, end.x), min(start.y, end.y), max(start.x, end.x), max(start.y, end.y))) else {
            return
        }
        let edge = (x: end.x - start.x, y: end.y - start.y)
        let away = (x: start.x - x, y: start.y - y)
        let wayLength = (step.x * step.x + step.y * step.y).squareRoot()
        let edgeLength = (edge.x * edge.x + edge.y * edge.y).squareRoot()
        let cross = step.x * edge.y - step.y * edge.x
        if abs(cross) <= 1e-12 * wayLength * edgeLength {
            // Parallel: only the ends of the edge can be crossings, if they are on the segment.
            guard wayLength > 0, abs(away.x * step.y - away.y * step.x) <= tolerance * wayLength else { return }
            for corner in [away, (x: away.x + edge.x, y: away.y + edge.y)] {
                let share = (corner.x * step.x + corner.y * step.y) / (wayLength * wayLength)
                if share >= 0, share <= 1 { cuts.append(share) }
            }
            return
        }
        let share = (away.x * edge.y - away.y * edge.x) / cross
        let edgeShare = (away.x * step.y - away.y * step.x) / cross
        let slack = tolerance / wayLength
        let edgeSlack = tolerance / edgeLength
        guard share >= -slack, share <= 1 + slack, edgeShare >= -edgeSlack, edgeShare <= 1 + edgeSlack else { return }
        cuts.append(min(1, max(0, share)))
    }
}
