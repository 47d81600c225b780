import OdographCrontab
import OdographGeodesy
import Glibc
import OdographHarness
import OdographModel
import Testing
import OdographTracking

@testable import OdographGeoJSON

/// Compares the check of rings with a search that compares each edge with each other edge.
@Suite("Rings")
struct RingCheckTests {
    private typealias Point = (x: Double, y: Double)

    /// Whether two edges of a ring cross at a point that is an end of neither.
    private func crosses(_ ring: [Point]) -> Bool {
        func side(_ a: Point, _ b: Point, _ c: Point) -> Double {
            (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x)
        }
        for first in 1..<ring.count {
            for second in first + 1..<max(ring.count, first + 1) {
                let (a, b, c, d) = (ring[first - 1], ring[first], ring[second - 1], ring[second])
                if side(a, b, c) * side(a, b, d) < 0, side(c, d, a) * side(c, d, b) < 0 { return true }
            }
        }
        return false
    }

    private func coordinates(_ ring: [Point]) throws -> [Coordinate] {
        try ring.map { try #require(Coordinate(latitudeDegrees: $0.y, longitudeDegrees: $0.x)) }
    }

    @Test(
        "The search finds a crossing exactly if the comparison of all edges does", arguments: [5, 9, 30, 120, 400])
    func crossings(count: Int) throws {
        var random = SplitMix64(seed: UInt64(count))
        var found = 0
        for round in 0..<(count > 100 ? 20 : 200) {
            // Stars. In every other round some of their points are moved.
            var ring: [Point] = (0..<count).map { place in
                let angle = Double(place) / Double(count)
                let radius = Double.random(in: 0.5...1, using: &random)
                // The outline of a diamond, which needs no sine.
                let quarter = angle * 4
                let x = quarter < 2 ? 1 - quarter : quarter - 3
                let y = quarter < 1 ? quarter : quarter < 3 ? 2 - quarter : quarter - 4
                return (10 + x * radius, 20 + y * radius)
            }
            if round.isMultiple(of: 2) {
                let place = Int.random(in: 1..<count, using: &random)
                ring[place] = (
                    10 + .random(in: -0.6...0.6, using: &random), 20 + .random(in: -0.6...0.6, using: &random)
                )
            }
            ring.append(ring[0])
            let unwrapped = UnwrappedRing(ring: try coordinates(ring))
            let fault = RingValidator(rings: [unwrapped]).firstFault()
            let expected = crosses(ring)
            if expected { found += 1 }
            #expect((fault != nil) == expected, "\(ring)")
        }
        #expect(found > 0)
    }

    @Test(
        "A wrong ring is called what it is, also if its parts cancel to no area",
        arguments: [
            // Bow ties: symmetric, upright, turned, with a corner more, and as a hole's shape.
            ("[[10,53],[10.01,53.01],[10.01,53],[10,53.01],[10,53]]", "crosses itself near [10.005, 53.005]"),
            ("[[0,0],[2,2],[0,2],[2,0],[0,0]]", "crosses itself near [1.0, 1.0]"),
            ("[[0,1],[1,0],[2,1],[1,2],[0,1],[1,3],[-1,3],[0,1]]", nil),
            ("[[0,0],[3,1],[3,0],[0,1],[0,0]]", "crosses itself near [1.5, 0.5]"),
            ("[[0,0],[1,1],[1,1],[1,0],[0,1],[0,1],[0,0]]", "crosses itself"),
            // Figures of eight that pass twice through a corner: equal and unequal lobes.
            ("[[0,0],[1,1],[1,-1],[0,0],[-1,1],[-1,-1],[0,0]]", "crosses itself near [0.0, 0.0]"),
            ("[[0,0],[2,2],[2,-2],[0,0],[-1,1],[-1,-1],[0,0]]", "crosses itself near [0.0, 0.0]"),
            // Lines.
            ("[[0,0],[1,1],[2,2],[0,0]]", "all its positions are on one line"),
            ("[[0.1,0.1],[0.2,0.2],[0.3,0.3],[0.1,0.1]]", "all its positions are on one line"),
            ("[[10,50],[10.01,50.02],[10.02,50.04],[10.03,50.06],[10,50]]", "all its positions are on one line"),
            ("[[0,0],[0,2],[0,1],[0,3],[0,0]]", "all its positions are on one line"),
            ("[[0,0],[1,0],[0,0],[1,0],[0,0]]", "three different positions"),
            ("[[0,0],[0,0],[1,1],[1,1],[0,0]]", "three different positions"),
            ("[[0,0],[0,0],[0,0],[0,0]]", "three different positions"),
            // Spikes.
            ("[[10,55],[10.01,55],[10.02,55],[10.01,55],[10.01,55.01],[10,55.01],[10,55]]", "runs back over itself"),
            ("[[0,0],[1,0],[1,1],[0,1],[0,2],[0,0]]", "runs back over itself"),
            // A there and back with no area, but with a corner.
            ("[[0,0],[1,0],[1,1],[1,0],[0,0]]", "runs back over itself"),
        ])
    func wrongRings(ring: String, expected: String?) throws {
        let problems = try Reading(feature("Polygon", "[\(ring)]")).problems.map(\.reason)
        #expect(problems.count == (expected == nil ? 0 : 1), "\(problems)")
        if let expected { #expect(problems.first?.contains(expected) == true, "\(problems)") }
    }

    @Test("A ring across the antimeridian is checked correctly")
    func antimeridian() throws {
        let good =
            "[[[179,0],[-179,0],[-179,1],[179,1],[179,0]],[[179.5,0.2],[179.5,0.4],[-179.5,0.4],[-179.5,0.2],[179.5,0.2]]]"
        #expect(try Reading(feature("Polygon", good)).problems == [])
        let bad = "[[[179,0],[-179,1],[-179,0],[179,2],[179,0]]]"
        #expect(try Reading(feature("Polygon", bad)).problems.first?.reason.contains("crosses itself") == true)
        let polar = "[[[0,80],[90,80],[180,80],[-90,80],[0,80]]]"
        #expect(try Reading(feature("Polygon", polar)).problems == [])
    }

    @Test("Touching in a point is allowed, because the inside is clear")
    func touching() throws {
        for rings in [
            "[[[0,0],[1,1],[2,0],[2,2],[1,1],[0,2],[0,0]]]",
            "[[[0,0],[4,0],[4,4],[0,4],[0,0]],[[0,2],[1,1],[1,3],[0,2]],[[1,1],[2,1],[2,2],[1,1]]]",
        ] {
            #expect(try Reading(feature("Polygon", rings)).problems == [], "\(rings)")
        }
    }

    @Test("A point that is repeated with the rounding of a computation is one point", arguments: [0, 1, 2, 5])
    func nearlyRepeated(shift: Int) throws {
        // An outline like a U, so that it is no star.
        let outline = ["-3.70,40.40", "-3.67,40.40", "-3.67,40.42", "-3.68,40.42", "-3.68,40.41", "-3.69,40.41"]
        let near = "-3.6700000000000004,40.400000000000006"
        var points = outline + ["-3.69,40.42", "-3.70,40.42"]
        points.insert(near, at: 2)
        // Also at the beginning and the end of the ring.
        points = Array(points[shift...] + points[..<shift])
        let ring = (points + [points[0]]).map { "[\($0)]" }.joined(separator: ",")
        #expect(try Reading(feature("Polygon", "[[\(ring)]]")).problems == [], "\(ring)")
    }

    @Test("Outlines of ten thousand points, and combs of long teeth, are checked")
    func large() throws {
        let count = 10_000
        var random = SplitMix64(seed: 7)
        let center = try #require(Coordinate(latitudeDegrees: 40, longitudeDegrees: -3))
        let ring = (0..<count).map { place in
            center.destination(
                headingDegrees: -Double(place) * 360 / Double(count),
                distanceMeters: 20_000 * .random(in: 0.9...1, using: &random))
        }
        let fence = Geofence(identifier: "large", shape: .polygon(try Polygon(rings: [ring])))
        #expect(try Reading(bytes: GeofenceWriter.feature(fence)).fences.count == 1)
        var teeth: [String] = []
        for tooth in 0..<500 {
            let x = Double(tooth) / 10_000
            teeth.append("[\(x),0],[\(x + 1),1],[\(x + 1.00005),1],[\(x + 0.00005),0]")
        }
        let comb = "[[\(teeth.joined(separator: ",")),[0.05,-0.1],[0,-0.1],[0.0,0]]]"
        let reading = try Reading(feature("Polygon", comb))
        #expect(reading.problems == [])
        #expect(reading.fences.count == 1)
    }

    @Test("A geofence with too many vertices is refused with the limit, without an effect on others")
    func tooMany() throws {
        let points = (0..<110_000).map { "[\($0 % 100).5,1]" }.joined(separator: ",")
        let reading = try Reading(
            collection(
                feature("Polygon", "[[\(points),[0,0]]]"),
                feature("Point", "[1,2]", id: "\"b\"", properties: "{\"radius\":9}")))
        #expect(reading.fences.map(\.identifier) == ["b"])
        #expect(reading.problems.count == 1)
        #expect(reading.problems.first?.reason.contains("more than 100000 positions") == true)
    }
}

@Suite("Writing geofences")
struct FenceWriterTests {
    private func fence(_ number: Int, _ random: inout SplitMix64) throws -> Geofence {
        let center = try #require(
            Coordinate(
                latitudeDegrees: .random(in: -85...85, using: &random),
                longitudeDegrees: .random(in: -180...180, using: &random)))
        func point(_ heading: Double, _ meters: Double) -> Coordinate {
            center.destination(headingDegrees: heading, distanceMeters: meters)
        }
        func ring(_ meters: Double, isHole: Bool) -> [Coordinate] {
            let count = Int.random(in: 3...60, using: &random)
            let points = (0..<count).map {
                point(
                    (isHole ? 1 : -1) * Double($0) * 360 / Double(count), meters * .random(in: 0.8...1, using: &random))
            }
            return points + points.prefix(1)
        }
        let shape: Shape =
            switch number % 4 {
            case 0: .circle(try Circle(center: center, radiusMeters: .random(in: 5...5000, using: &random)))
            case 1:
                .corridor(
                    try Corridor(
                        path: (0..<5).map { point(Double($0) * 20, Double($0 + 1) * 100) },
                        halfWidthMeters: .random(in: 1...100, using: &random)))
            case 2: .polygon(try Polygon(rings: [ring(1000, isHole: false)]))
            default: .polygon(try Polygon(polygons: [[ring(1000, isHole: false)], [ring(500, isHole: false)]]))
            }
        var rule = GeofenceRule()
        rule.name = Bool.random(using: &random) ? "Name \"\(number)\"\n\u{1}é🚚" : nil
        rule.notifiesOnEntry = Bool.random(using: &random)
        rule.notifiesOnDwell = Bool.random(using: &random)
        rule.loiteringDelaySeconds = Double(Int.random(in: 0...900, using: &random))
        rule.initialTrigger = Bool.random(using: &random) ? .enter : .none
        rule.speedLimitMetersPerSecond = Bool.random(using: &random) ? .random(in: 1...40, using: &random) : nil
        rule.schedule =
            Bool.random(using: &random) ? try Schedule("*/\(Int.random(in: 1...5, using: &random)) * * * *") : nil
        rule.extras = Bool.random(using: &random) ? "{\"a\":[1,null,\"x\"],\"n\":\(number)}" : nil
        return Geofence(identifier: "fence/\(number)", shape: shape, rule: rule)
    }

    @Test("Written geofences are read back the same, to the last bit")
    func roundTrip() throws {
        var random = SplitMix64(seed: 11)
        let fences = try (0..<400).map { try fence($0, &random) }
        let reading = try Reading(bytes: featureCollection(fences.map(GeofenceWriter.feature)))
        #expect(reading.problems == [])
        #expect(reading.fences == fences)
        #expect(try Reading(bytes: featureCollection([])).fences == [])
    }
}

@Suite("The corpora's shapes as documents", .enabled(if: Corpora.exist))
struct CorporaDocumentTests {
    @Test("Every polygon of the corpora is a valid geofence")
    func polygons() throws {
        let path = try #require(Corpora.folder) + "/geo/polygons_dev.jsonl"
        var features: [[UInt8]] = []
        for line in try FileContents.lines(path) {
            // {"id": …, "tag": …, "geometry": { … }, "points": [ … ]}: a Feature without its type.
            features.append(Array("{\"type\":\"Feature\",".utf8) + line.dropFirst())
        }
        let text =
            Array("{\"type\":\"FeatureCollection\",\"features\":[".utf8) + features.joined(separator: [0x2C])
            + Array("]}".utf8)
        let reading = try Reading(bytes: text)
        #expect(reading.problems == [])
        #expect(reading.fences.count == features.count)
        #expect(features.count > 150)
    }
}
