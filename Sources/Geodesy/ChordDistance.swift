import Glibc

/// The distance from a point to the edges of an encoded shape, anywhere on Earth.
///
/// The nearest point is the one with the shortest chord through the Earth; its geodesic is the result. This is slow and
/// is used for points near a pole and for distant shapes only.
struct ChordDistance {
    /// A point in space, metres from the centre of the Earth.
    private struct Point {
        let x: Double
        let y: Double
        let z: Double

        init(_ degrees: (x: Double, y: Double)) {
            let latitude = degrees.y * WGS84.radiansPerDegree
            let longitude = degrees.x * WGS84.radiansPerDegree
            let up = sin(latitude)
            let radius = WGS84.equatorialRadiusMeters / (1 - WGS84.eccentricitySquared * up * up).squareRoot()
            let out = radius * cos(latitude)
            x = out * cos(longitude)
            y = out * sin(longitude)
            z = radius * (1 - WGS84.eccentricitySquared) * up
        }

        func chord(to other: Point) -> Double {
            let (east, north, up) = (other.x - x, other.y - y, other.z - z)
            return (east * east + north * north + up * up).squareRoot()
        }
    }

    private let point: Point
    private var best = Double.infinity
    private var nearest = (x: 0.0, y: 0.0)

    static func meters(_ bytes: RawSpan, at offset: Int, _ point: Coordinate) -> Double {
        let header = ShapeHeader(bytes, at: offset)
        var search = ChordDistance(point: Point((point.longitudeDegrees, point.latitudeDegrees)))
        var ringOffset = offset + ShapeHeader.byteCount
        for _ in 0..<header.ringCount {
            let ring = RingHeader(bytes, at: ringOffset, stride: header.stride)
            search.search(bytes, ring, header)
            ringOffset = ring.end
        }
        let coordinate = Coordinate(
            clampingLatitudeDegrees: search.nearest.y, wrappingLongitudeDegrees: search.nearest.x)
        return point.distanceMeters(to: coordinate)
    }

    private init(point: Point) {
        self.point = point
    }

    private mutating func search(_ bytes: RawSpan, _ ring: RingHeader, _ header: ShapeHeader) {
        func degrees(_ index: Int) -> (x: Double, y: Double) {
            let vertex = bytes.vertex(ring.vertices, index, bits: header.bits)
            return (header.longitude + vertex.x * header.quantum, header.latitude + vertex.y * header.quantum)
        }
        var start = degrees(0)
        var startChord = point.chord(to: Point(start))
        for index in 0..<ring.edgeCount {
            let end = degrees(index + 1)
            let endChord = point.chord(to: Point(end))
            search((start, startChord), (end, endChord))
            start = end
            startChord = endChord
        }
    }

    private typealias End = (at: (x: Double, y: Double), chord: Double)

    private mutating func search(_ start: End, _ end: End) {
        take(start)
        take(end)
        guard minimumChord(start, end) < best else { return }
        // A piece of up to two degrees bends so little that it has one nearest point.
        let pieces = Int(max(abs(end.at.x - start.at.x), abs(end.at.y - start.at.y)) / 2) + 1
        var from = start
        for piece in 1...pieces {
            let to = piece == pieces ? end : along(start, end, Double(piece) / Double(pieces))
            if minimumChord(from, to) < best { refine(from, to) }
            from = to
        }
    }

    /// Returns a lower bound of the chords to an edge, by the triangle inequality over the edge's length.
    private func minimumChord(_ start: End, _ end: End) -> Double {
        let latitude = min(abs(start.at.y), abs(end.at.y))
        let isAcross = start.at.y * end.at.y < 0
        let width = isAcross ? 1 : cos(latitude * WGS84.radiansPerDegree)
        let length = abs(end.at.y - start.at.y) + abs(end.at.x - start.at.x) * width
        // A degree is at most 112 km.
        return (start.chord + end.chord - length * 112_000) / 2
    }

    /// Finds the nearest point of a piece by ternary search.
    private mutating func refine(_ start: End, _ end: End) {
        var low = 0.0
        var high = 1.0
        for _ in 0..<45 {
            let third = (high - low) / 3
            if along(start, end, low + third).chord < along(start, end, high - third).chord {
                high -= third
            } else {
                low += third
            }
        }
        take(along(start, end, (low + high) / 2))
    }

    private func along(_ start: End, _ end: End, _ share: Double) -> End {
        let at = (
            x: start.at.x + share * (end.at.x - start.at.x), y: start.at.y + share * (end.at.y - start.at.y)
        )
        return (at, point.chord(to: Point(at)))
    }

    private mutating func take(_ end: End) {
        guard end.chord < best else { return }
        best = end.chord
        nearest = end.at
    }
}
