/// The distance from a point to the edges of an encoded polygon or to the line of a corridor.
///
/// The search uses the plane that touches the ellipsoid at the given point. A distance that may be the shortest is
/// computed again with the scale at the middle latitude. Near the poles and beyond 100 km, ``ChordDistance`` is used.
struct BoundaryDistance {
    /// The longest plane distance that is not corrected: at 80° of latitude its error is a millimetre at 50 m.
    static let uncorrectedPlaneLimitMeters = 50.0
    static let planeLimitMeters = 100_000.0

    private let header: ShapeHeader
    private let point: Coordinate
    private let eastMetersPerUnit: Double
    private let northMetersPerUnit: Double
    /// The largest relative excess of a plane distance, per metre of that distance.
    private let slackPerMeter: Double
    private var best: Double
    private var nearest: (x: Double, y: Double)?

    /// - Parameter limit: Metres. The result may be infinite if the distance is greater.
    /// - Returns: Metres, ≥ 0.
    static func meters(_ bytes: RawSpan, at offset: Int, _ point: Coordinate, limit: Double = .infinity) -> Double {
        if abs(point.latitudeDegrees) <= Coordinate.highLatitudeDegrees {
            var search = BoundaryDistance(bytes, offset, point, limit: min(limit, planeLimitMeters) * 1.1)
            search.run(bytes, offset)
            if let found = search.result, found <= planeLimitMeters { return found }
            if limit <= planeLimitMeters { return .infinity }
        }
        return ChordDistance.meters(bytes, at: offset, point)
    }

    private init(_ bytes: RawSpan, _ offset: Int, _ point: Coordinate, limit: Double) {
        header = ShapeHeader(bytes, at: offset)
        self.point = point
        best = limit
        let scale = WGS84.Scale(latitudeDegrees: point.latitudeDegrees)
        eastMetersPerUnit = scale.eastMetersPerDegree * header.quantum
        northMetersPerUnit = scale.northMetersPerDegree * header.quantum
        let cosine = (1 - scale.latitudeSine * scale.latitudeSine).squareRoot()
        slackPerMeter = abs(scale.latitudeSine) / cosine / WGS84.polarRadiusMeters
    }

    private var result: Double? {
        guard let nearest else { return nil }
        guard best > Coordinate.longDistanceMeters else { return best }
        let coordinate = Coordinate(
            clampingLatitudeDegrees: header.latitude + nearest.y * header.quantum,
            wrappingLongitudeDegrees: header.longitude + nearest.x * header.quantum)
        return Geodesic(from: point, to: coordinate).distanceMeters
    }

    /// Returns the shortest true distance that a plane distance can stand for.
    @inline(__always)
    private func lowerBoundMeters(_ east: Double, _ north: Double) -> Double {
        let plane = (east * east + north * north).squareRoot()
        return plane * (1 - min(0.5, plane * slackPerMeter + 1e-5))
    }

    private mutating func run(_ bytes: RawSpan, _ offset: Int) {
        let y = header.y(ofLatitude: point.latitudeDegrees)
        let turn = 360 / header.quantum
        var x = header.x(ofLongitude: point.longitudeDegrees) - turn
        while x <= header.width + turn / 2 {
            if canReach((0, 0, header.width, header.height), x, y) {
                var ringOffset = offset + ShapeHeader.byteCount
                for _ in 0..<header.ringCount {
                    let ring = RingHeader(bytes, at: ringOffset, stride: header.stride)
                    search(bytes, ring, x, y)
                    ringOffset = ring.end
                }
            }
            x += turn
        }
    }

    @inline(__always)
    private func canReach(
        _ box: (minX: Double, minY: Double, maxX: Double, maxY: Double), _ x: Double, _ y: Double
    ) -> Bool {
        let east = max(0, box.minX - x, x - box.maxX) * eastMetersPerUnit
        let north = max(0, box.minY - y, y - box.maxY) * northMetersPerUnit
        return lowerBoundMeters(east, north) < best
    }

    private mutating func search(_ bytes: RawSpan, _ ring: RingHeader, _ x: Double, _ y: Double) {
        guard ring.hasBoxes else { return search(bytes, ring, 0, ring.edgeCount, x, y) }
        for chunk in 0..<ring.chunkCount where canReach(bytes.box(ring.boxes, chunk, bits: header.bits), x, y) {
            let first = chunk << ring.chunkShift
            search(bytes, ring, first, min(first + 1 << ring.chunkShift, ring.edgeCount), x, y)
        }
    }

    private mutating func search(
        _ bytes: RawSpan, _ ring: RingHeader, _ first: Int, _ last: Int, _ x: Double, _ y: Double
    ) {
        var start = bytes.vertex(ring.vertices, first, bits: header.bits)
        for index in first..<last {
            let end = bytes.vertex(ring.vertices, index + 1, bits: header.bits)
            measure((start.x - x, start.y - y), (end.x - x, end.y - y), x, y)
            start = end
        }
    }

    /// Updates the shortest distance with one edge, whose ends are relative to the point.
    @inline(__always)
    private mutating func measure(
        _ start: (x: Double, y: Double), _ end: (x: Double, y: Double), _ x: Double, _ y: Double
    ) {
        var found = Self.nearest(start, end, eastMetersPerUnit, northMetersPerUnit)
        let plane = (found.east * found.east + found.north * found.north).squareRoot()
        guard plane * (1 - min(0.5, plane * slackPerMeter + 1e-5)) < best else { return }
        if plane > Self.uncorrectedPlaneLimitMeters {
            let north = found.north / northMetersPerUnit * header.quantum
            let scale = WGS84.Scale(latitudeDegrees: point.latitudeDegrees + north / 2)
            found = Self.nearest(
                start, end, scale.eastMetersPerDegree * header.quantum, scale.northMetersPerDegree * header.quantum)
        }
        let distance = (found.east * found.east + found.north * found.north).squareRoot()
        guard distance < best else { return }
        best = distance
        nearest = (x + start.x + found.share * (end.x - start.x), y + start.y + found.share * (end.y - start.y))
    }

    /// Returns the point of an edge that is nearest to the origin, in metres, and its fraction of the edge.
    @inline(__always)
    static func nearest(
        _ start: (x: Double, y: Double), _ end: (x: Double, y: Double), _ eastScale: Double, _ northScale: Double
    ) -> (east: Double, north: Double, share: Double) {
        let fromEast = start.x * eastScale
        let fromNorth = start.y * northScale
        let east = (end.x - start.x) * eastScale
        let north = (end.y - start.y) * northScale
        let square = east * east + north * north
        let share = square > 0 ? min(1, max(0, -(fromEast * east + fromNorth * north) / square)) : 0
        return (fromEast + share * east, fromNorth + share * north, share)
    }
}
