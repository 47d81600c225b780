import Glibc
import OdographHarness
import Testing

@testable import OdographGeodesy

@Suite("The shape index")
struct ShapeIndexTests {
    /// The ranges of the random shapes: latitudes, longitudes, radii.
    struct Region: Sendable {
        let latitudes: ClosedRange<Double>
        let longitudes: ClosedRange<Double>
        let meters: ClosedRange<Double>

        static let all = [
            Region(latitudes: 48...48.06, longitudes: 11...11.08, meters: 5...2_000),
            Region(latitudes: -17...(-16.8), longitudes: 179.9...180.1, meters: 5...3_000),
            Region(latitudes: 79...90, longitudes: -180...180, meters: 100...300_000),
            Region(latitudes: -90...(-88), longitudes: -180...180, meters: 100...200_000),
            Region(latitudes: -90...90, longitudes: -180...180, meters: 1_000...2_000_000),
        ]
    }

    private func linear(_ index: ShapeIndex, _ point: Coordinate) -> [Int] {
        (0..<index.slotLimit).filter { index.contains($0, point) }
    }

    @Test("The index finds the same shapes as a linear search", arguments: Array(Region.all.enumerated()))
    func likeLinear(_ row: (offset: Int, element: Region)) throws {
        var shapes = RandomShapes(seed: UInt64(10 + row.offset))
        let region = row.element
        var index = ShapeIndex()
        for _ in 0..<150 {
            let meters = Double.random(in: 0...1, using: &shapes.random)
            let radius =
                region.meters.lowerBound * exp2(meters * log2(region.meters.upperBound / region.meters.lowerBound))
            index.add(try shapes.shape(shapes.point(region.latitudes, region.longitudes), meters: radius))
        }
        var found: [Int] = []
        var total = 0
        for round in 0..<80 {
            if round.isMultiple(of: 3) { index.remove(.random(in: 0..<150, using: &shapes.random)) }
            if round.isMultiple(of: 5) {
                index.add(
                    try shapes.shape(
                        shapes.point(region.latitudes, region.longitudes), meters: region.meters.upperBound / 10))
            }
            let point = shapes.point(region.latitudes, region.longitudes)
            index.findContaining(point, into: &found)
            #expect(found == linear(index, point), "\(point)")
            total += found.count
            let heading = Double.random(in: 0..<360, using: &shapes.random)
            let meters = Double.random(in: 0...region.meters.upperBound, using: &shapes.random)
            // A long way is compared with every shape, and a short one with those in its squares.
            for way in [meters, meters / 100] {
                let other = point.destination(headingDegrees: heading, distanceMeters: way)
                index.findCandidates(from: point, to: other, into: &found)
                #expect(found == Set(found).sorted())
                guard round.isMultiple(of: 8) else { continue }
                var passage = SegmentIntersection()
                for slot in 0..<index.slotLimit where !found.contains(slot) {
                    index.findIntersection(&passage, with: slot, from: point, to: other)
                    #expect(passage.insideFractions.isEmpty, "slot \(slot) from \(point) to \(other)")
                }
            }
        }
        #expect(total > 20)
    }

    @Test("A thousand geofences at one place are all found, and one of ten thousand points is right")
    func stackedAndLarge() throws {
        var shapes = RandomShapes(seed: 20)
        let center = shapes.point(50...50, 8...8)
        let circle = Shape.circle(try Circle(center: center, radiusMeters: 100))
        var index = ShapeIndex()
        for _ in 0..<1_000 { index.add(circle) }
        let ring = shapes.ring(center, meters: 30_000, count: 10_000)
        let large = index.add(.polygon(try Polygon(rings: [ring])))
        var found: [Int] = []
        index.findContaining(center, into: &found)
        #expect(found == Array(0...1_000))
        for _ in 0..<2_000 {
            let point = center.destination(
                headingDegrees: .random(in: 0..<360, using: &shapes.random),
                distanceMeters: .random(in: 1_000...31_000, using: &shapes.random))
            #expect(index.contains(large, point) == naive(ring, point))
        }
    }

    /// The textbook's ray casting, over the original points.
    private func naive(_ ring: [Coordinate], _ point: Coordinate) -> Bool {
        var isInside = false
        for (a, b) in zip(ring, ring.dropFirst() + ring.prefix(1)) {
            let (y, y1, y2) = (point.latitudeDegrees, a.latitudeDegrees, b.latitudeDegrees)
            guard (y1 > y) != (y2 > y) else { continue }
            let x = a.longitudeDegrees + (y - y1) / (y2 - y1) * (b.longitudeDegrees - a.longitudeDegrees)
            if point.longitudeDegrees < x { isInside.toggle() }
        }
        return isInside
    }

    @Test("Slots are reused, and removed ones are empty")
    func slots() throws {
        var shapes = RandomShapes(seed: 21)
        let center = shapes.point(10...10, 10...10)
        let circle = Shape.circle(try Circle(center: center, radiusMeters: 100))
        var index = ShapeIndex()
        #expect(index.add(circle) == 0 && index.add(circle) == 1)
        let before = index
        index.remove(0)
        index.remove(0)
        index.remove(77)
        index.remove(-1)
        #expect(index.count == 1 && !index.contains(0, center) && index.contains(1, center))
        #expect(index.signedDistanceMeters(0, to: center) == .infinity)
        #expect(before.contains(0, center) && before.count == 2)
        #expect(index.add(circle) == 0 && index.count == 2)
    }

    @Test("Serialized bytes are read back, including gaps")
    func bytes() throws {
        var shapes = RandomShapes(seed: 22)
        var index = ShapeIndex()
        for _ in 0..<200 { index.add(try shapes.shape(shapes.point(0...1, 0...1), meters: 5_000)) }
        for slot in stride(from: 0, to: 200, by: 7) { index.remove(slot) }
        let data = index.serialized()
        let again = try ShapeIndex(serialized: data)
        #expect(again.count == index.count && again.serialized() == data)
        var (left, right): ([Int], [Int]) = ([], [])
        for _ in 0..<500 {
            let point = shapes.point(0...1, 0...1)
            index.findContaining(point, into: &left)
            again.findContaining(point, into: &right)
            #expect(left == right)
        }
        #expect(try ShapeIndex(serialized: ShapeIndex().serialized()).count == 0)
    }

    @Test("Truncated or changed bytes are refused or harmless")
    func damaged() throws {
        var shapes = RandomShapes(seed: 23)
        var index = ShapeIndex()
        for _ in 0..<5 { index.add(try shapes.shape(shapes.point(0...1, 0...1), meters: 5_000)) }
        let data = index.serialized()
        for length in 0..<data.count where length < 200 || length.isMultiple(of: 13) {
            #expect(throws: ShapeIndexError.self) { try ShapeIndex(serialized: Array(data[..<length])) }
        }
        for position in data.indices {
            var changed = data
            changed[position] ^= 1 << UInt8.random(in: 0..<8, using: &shapes.random)
            #expect(throws: ShapeIndexError.self) { try ShapeIndex(serialized: changed) }
        }
    }

    @Test("A shape of changed bytes is refused or can be queried")
    func fuzzedShapes() throws {
        var shapes = RandomShapes(seed: 24)
        var accepted = 0
        for _ in 0..<20_000 {
            var bytes = ShapeEncoder.encoded(try shapes.shape(shapes.point(-90...90, -180...180), meters: 5_000))
            for _ in 0..<Int.random(in: 1...4, using: &shapes.random) {
                bytes[.random(in: 0..<min(bytes.count, 64), using: &shapes.random)] = .random(
                    in: 0...255, using: &shapes.random)
            }
            guard let end = ShapeValidator.end(bytes.span.bytes, at: 0), end == bytes.count else { continue }
            accepted += 1
            let index = ShapeIndex(offsets: [0], bytes: bytes)
            var found: [Int] = []
            let point = shapes.point(-90...90, -180...180)
            index.findContaining(point, into: &found)
            #expect(!index.signedDistanceMeters(0, to: point).isNaN)
        }
        #expect(accepted > 100)
    }

    @Test(
        "A pole is inside a polygon unless it is in a hole; on an edge it is inside",
        arguments: [
            ([80], true), ([80, 85], false), ([80, 85, 87], true), ([-70], false),
        ] as [([Double], Bool)])
    func pole(latitudes: [Double], isInside: Bool) throws {
        for (hemisphere, isReversed) in [(1.0, false), (1.0, true), (-1.0, false), (-1.0, true)] {
            let rings = latitudes.enumerated().map { index, latitude in
                let ring = stride(from: -180.0, to: 180, by: 30).map {
                    Coordinate(clampingLatitudeDegrees: latitude * hemisphere, wrappingLongitudeDegrees: $0)
                }
                return isReversed && index == 1 ? ring.reversed() : ring
            }
            // The third ring is the outer ring of another part.
            var index = ShapeIndex()
            let slot = index.add(
                .polygon(
                    try Polygon(polygons: rings.count == 3 ? [Array(rings[..<2]), [rings[2]]] : [rings])))
            for longitude in [0, 77.7, -180] {
                let pole = Coordinate(clampingLatitudeDegrees: 90 * hemisphere, wrappingLongitudeDegrees: longitude)
                #expect(index.contains(slot, pole) == isInside, "\(latitudes) \(hemisphere) \(isReversed)")
            }
        }
    }

    @Test("A pole at a corner of a polygon is on its edge")
    func poleAtCorner() throws {
        let wedge = [(80.0, 0.0), (80, 90), (90, 90), (90, 0)].map {
            Coordinate(clampingLatitudeDegrees: $0, wrappingLongitudeDegrees: $1)
        }
        var index = ShapeIndex()
        let slot = index.add(.polygon(try Polygon(rings: [wedge])))
        #expect(index.contains(slot, Coordinate(clampingLatitudeDegrees: 90, wrappingLongitudeDegrees: -120)))
        #expect(!index.contains(slot, Coordinate(clampingLatitudeDegrees: -90, wrappingLongitudeDegrees: 45)))
    }
}
