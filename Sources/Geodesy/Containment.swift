/// Tests whether an encoded shape contains a point.
enum Containment {
    /// Whether the valid shape at an offset contains a point.
    static func contains(_ bytes: RawSpan, at offset: Int, _ point: Coordinate) -> Bool {
        let header = ShapeHeader(bytes, at: offset)
        switch header.kind {
        case .circle: return circleContains(bytes, offset, header, point)
        case .polygon: return polygonContains(bytes, offset, header, point)
        case .corridor:
            return BoundaryDistance.meters(bytes, at: offset, point, limit: header.meters * 1.001 + 1) <= header.meters
        }
    }

    /// The scale at the centre decides for most points; the distance decides near the edge.
    private static func circleContains(
        _ bytes: RawSpan, _ offset: Int, _ header: ShapeHeader, _ point: Coordinate
    ) -> Bool {
        if header.meters < 10_000, abs(header.latitude) < 75 {
            let northDegrees = point.latitudeDegrees - header.latitude
            let eastDegrees = longitudeDifferenceDegrees(from: header.longitude, to: point.longitudeDegrees)
            let east =
                eastDegrees * (Double(bytes.float(offset + 32)) + Double(bytes.float(offset + 40)) * northDegrees / 2)
            let north = northDegrees * Double(bytes.float(offset + 36))
            let square = east * east + north * north
            let limit = header.meters * header.meters
            // The scale is accurate to 10⁻⁴ here, so it decides outside 10⁻³ of the edge. Beyond three radii it is
            // inaccurate, but such points are outside anyway.
            if square < limit * 0.998 { return true }
            if square > limit * 1.002 { return false }
        }
        let center = Coordinate(uncheckedLatitudeDegrees: header.latitude, longitudeDegrees: header.longitude)
        // The short formula has an error of at most 2 × 10⁻⁵. Only points that near the edge need the geodesic.
        let meters = center.distanceMeters(to: point)
        if abs(meters - header.meters) > 2e-5 * meters { return meters <= header.meters }
        return Geodesic(from: center, to: point).distanceMeters <= header.meters
    }

    private static func polygonContains(
        _ bytes: RawSpan, _ offset: Int, _ header: ShapeHeader, _ point: Coordinate
    ) -> Bool {
        let y = header.y(ofLatitude: point.latitudeDegrees)
        guard y >= -header.tolerance, y <= header.height + header.tolerance else { return false }
        // The pole is one point; its longitude has no meaning.
        if abs(point.latitudeDegrees) > 90 - ShapeHeader.edgeToleranceDegrees {
            return ringsContainPole(bytes, offset, header, y: header.y(ofLatitude: point.latitudeDegrees.rounded()))
        }
        var x = header.x(ofLongitude: point.longitudeDegrees)
        let turn = 360 / header.quantum
        while x <= header.width + header.tolerance {
            if ringsContain(bytes, offset, header, x, y) { return true }
            x += turn
        }
        return false
    }

    /// Whether the rings contain a pole. A ring that goes round it has edges along it of a full turn; another ring with
    /// a vertex at the pole has it on its edge.
    private static func ringsContainPole(
        _ bytes: RawSpan, _ offset: Int, _ header: ShapeHeader, y: Double
    ) -> Bool {
        var isInside = false
        var ringOffset = offset + ShapeHeader.byteCount
        for _ in 0..<header.ringCount {
            let ring = RingHeader(bytes, at: ringOffset, stride: header.stride)
            if ring.isOuter, isInside { return true }
            var (width, isTouching) = (0.0, false)
            var start = bytes.vertex(ring.vertices, 0, bits: header.bits)
            for index in 1...ring.edgeCount {
                let end = bytes.vertex(ring.vertices, index, bits: header.bits)
                if abs(end.y - y) <= header.tolerance {
                    isTouching = true
                    if abs(start.y - y) <= header.tolerance { width += end.x - start.x }
                }
                start = end
            }
            if abs(width) * header.quantum > 359.9 { isInside.toggle() } else if isTouching { return true }
            ringOffset = ring.end
        }
        return isInside
    }

    @inline(__always)
    private static func ringsContain(
        _ bytes: RawSpan, _ offset: Int, _ header: ShapeHeader, _ x: Double, _ y: Double
    ) -> Bool {
        var isInside = false
        var ringOffset = offset + ShapeHeader.byteCount
        let probe = RingProbe(x: x, y: y, tolerance: header.tolerance, bits: header.bits)
        for _ in 0..<header.ringCount {
            let ring = RingHeader(bytes, at: ringOffset, stride: header.stride)
            if ring.isOuter {
                if isInside { return true }
            }
            switch probe.parity(bytes, ring) {
            case .onEdge: return true
            case .odd: isInside.toggle()
            case .even: break
            }
            ringOffset = ring.end
        }
        return isInside
    }
}

/// Counts how often the ray from a point to the east crosses a ring (W. R. Franklin's PNPOLY), chunk by chunk.
///
/// For a chunk wholly to the east its two ends are enough: the number of crossings is odd if and only if the ends are
/// on different sides of the ray. So only the chunks around the point are examined edge by edge.
struct RingProbe {
    enum Parity {
        case even
        case odd
        case onEdge
    }

    let x: Double
    let y: Double
    let tolerance: Double
    let bits: Int

    @inline(__always)
    func parity(_ bytes: RawSpan, _ ring: RingHeader) -> Parity {
        guard ring.hasBoxes else { return edges(bytes, ring, 0, ring.edgeCount) }
        var isOdd = false
        for chunk in 0..<ring.chunkCount {
            let box = bytes.box(ring.boxes, chunk, bits: bits)
            if y < box.minY - tolerance || y > box.maxY + tolerance || x > box.maxX + tolerance { continue }
            let first = chunk << ring.chunkShift
            let last = min((chunk + 1) << ring.chunkShift, ring.edgeCount)
            if x < box.minX - tolerance {
                let start = bytes.vertex(ring.vertices, first, bits: bits).y > y
                let end = bytes.vertex(ring.vertices, last, bits: bits).y > y
                if start != end { isOdd.toggle() }
                continue
            }
            switch edges(bytes, ring, first, last) {
            case .onEdge: return .onEdge
            case .odd: isOdd.toggle()
            case .even: break
            }
        }
        return isOdd ? .odd : .even
    }

    @inline(__always)
    private func edges(_ bytes: RawSpan, _ ring: RingHeader, _ first: Int, _ last: Int) -> Parity {
        var isOdd = false
        var start = bytes.vertex(ring.vertices, first, bits: bits)
        for index in first..<last {
            let end = bytes.vertex(ring.vertices, index + 1, bits: bits)
            if min(start.y, end.y) - tolerance <= y, y <= max(start.y, end.y) + tolerance,
                x <= max(start.x, end.x) + tolerance
            {
                if touches(start, end) { return .onEdge }
                if (start.y > y) != (end.y > y) {
                    let crossing = start.x + (y - start.y) * (end.x - start.x) / (end.y - start.y)
                    if x < crossing { isOdd.toggle() }
                }
            }
            start = end
        }
        return isOdd ? .odd : .even
    }

    /// Whether the point is within the tolerance of an edge whose range of latitudes contains it.
    @inline(__always)
    private func touches(_ start: (x: Double, y: Double), _ end: (x: Double, y: Double)) -> Bool {
        guard x >= min(start.x, end.x) - tolerance else { return false }
        let edgeX = end.x - start.x
        let edgeY = end.y - start.y
        let cross = edgeX * (y - start.y) - edgeY * (x - start.x)
        return cross * cross <= tolerance * tolerance * (edgeX * edgeX + edgeY * edgeY)
    }
}
