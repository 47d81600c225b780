import OdographHarness
import Testing

@testable import OdographGeodesy

/// Compares shapes with results that other libraries computed.
@Suite("The corpora's shapes", .enabled(if: Corpora.exist))
struct CorporaTests {
    private func path(_ name: String) throws -> String {
        try #require(Corpora.folder) + "/geo/" + name
    }

    private func coordinate(_ json: SmallJSON) throws -> Coordinate {
        let numbers = json.list.compactMap(\.number)
        try #require(numbers.count >= 2)
        // Some maps continue across the antimeridian.
        return try #require(Coordinate(latitudeDegrees: numbers[1], wrappedLongitudeDegrees: numbers[0]))
    }

    /// Returns an index with one shape, in slot 0.
    private func index(of shape: Shape) -> ShapeIndex {
        var index = ShapeIndex()
        index.add(shape)
        return index
    }

    private func polygons() throws -> [(id: String, tag: String, shape: ShapeIndex, points: [SmallJSON])] {
        try FileContents.lines(path("polygons_dev.jsonl")).map { line in
            let json = try #require(SmallJSON(parsing: line))
            let geometry = json["geometry"]
            let coordinates = geometry["coordinates"]
            let list = geometry["type"].text == "Polygon" ? [coordinates] : coordinates.list
            let rings = try list.map { try $0.list.map { try $0.list.map(coordinate) } }
            return (
                try #require(json["id"].text), json["tag"].text ?? "",
                index(of: .polygon(try Polygon(polygons: rings))), json["points"].list
            )
        }
    }

    @Test("Circles contain the points within their geodesic radius")
    func circles() throws {
        let rows = try FileContents.lines(path("circles_dev.csv")).dropFirst()
        #expect(rows.count >= 3000)
        for row in rows {
            let fields = String(decoding: row, as: UTF8.self).split(separator: ",")
            let numbers = fields.prefix(7).compactMap { Double($0) }
            try #require(numbers.count == 7)
            let center = try #require(Coordinate(latitudeDegrees: numbers[1], longitudeDegrees: numbers[0]))
            let point = try #require(Coordinate(latitudeDegrees: numbers[4], longitudeDegrees: numbers[3]))
            let shape = index(of: .circle(try Circle(center: center, radiusMeters: numbers[2])))
            #expect(shape.contains(0, point) == (numbers[6] == 1), "\(String(decoding: row, as: UTF8.self))")
            let distance = shape.signedDistanceMeters(0, to: point) + numbers[2]
            #expect(abs(distance - numbers[5]) <= 1e-3 + 2e-5 * numbers[5])
        }
    }

    @Test("Polygons contain the right points, and the distances to their edges are right")
    func polygonPoints() throws {
        var count = 0
        for polygon in try polygons() {
            for row in polygon.points {
                let point = try coordinate(row)
                let label = "\(polygon.id) \(polygon.tag) \(point)"
                count += 1
                #expect(polygon.shape.contains(0, point) == (row.list[2].number == 1), "\(label)")
                guard let truth = row.list[3].number else { continue }
                let distance = polygon.shape.signedDistanceMeters(0, to: point)
                // Millimetres nearby. The reference was computed in a plane, which adds errors over tens of kilometres.
                #expect(abs(distance - truth) <= 0.002 + 5e-5 * abs(truth), "\(label): \(distance), \(truth)")
            }
        }
        #expect(count > 3000)
    }

    @Test("The parts of segments inside polygons are right")
    func segments() throws {
        let shapes = Dictionary(uniqueKeysWithValues: try polygons().map { ($0.id, $0.shape) })
        var passage = SegmentIntersection()
        for line in try FileContents.lines(path("segments_dev.jsonl")) {
            let json = try #require(SmallJSON(parsing: line))
            let id = try #require(json["id"].text)
            let shape = try #require(shapes[id])
            for segment in json["segments"].list {
                let (start, end) = (try coordinate(segment["a"]), try coordinate(segment["b"]))
                shape.findIntersection(&passage, with: 0, from: start, to: end)
                let label = "\(id) \(start) \(end) \(passage.insideFractions)"
                #expect(!passage.insideFractions.isEmpty == (segment["touch"].number == 1), "\(label)")
                #expect(shape.contains(0, start) == (segment["a_in"].number == 1), "\(label)")
                #expect(shape.contains(0, end) == (segment["b_in"].number == 1), "\(label)")
                let truth = segment["inside"].list.map { $0.list.compactMap(\.number) }
                #expect(truth.count == passage.insideFractions.count, "\(label) \(truth)")
                for (found, right) in zip(passage.insideFractions, truth) {
                    // Edges are stored to a tenth of a millimetre, and the angle of the crossing may be small.
                    let slack = max(1e-6, 0.003 / start.distanceMeters(to: end))
                    #expect(abs(found.lowerBound - right[0]) < slack, "\(label) \(truth)")
                    #expect(abs(found.upperBound - right[1]) < slack, "\(label) \(truth)")
                }
            }
        }
    }
}
