import OdographCrontab
import OdographGeodesy
import OdographHarness
import OdographJSON
import OdographModel
import Testing
import OdographTracking

@testable import OdographGeoJSON

/// The result of reading a document.
struct Reading {
    var fences: [Geofence] = []
    var problems: [GeofenceProblem] = []

    init(_ text: String) throws {
        try self.init(bytes: Array(text.utf8))
    }

    init(bytes: [UInt8]) throws {
        try take(GeofenceReader(bytes))
    }

    /// Reads the document in pieces of a number of bytes.
    init(_ bytes: [UInt8], inPiecesOf count: Int) throws {
        var rest = bytes[...]
        try take(
            GeofenceReader { () throws(JSONError) in
                defer { rest = rest.dropFirst(count) }
                return Array(rest.prefix(count))
            })
    }

    private mutating func take(_ reader: GeofenceReader) throws {
        var reader = reader
        while let item = try reader.next() {
            switch item {
            case .geofence(let fence): fences.append(fence)
            case .problems(let more): problems += more
            }
        }
    }
}

/// Returns a document of features.
func collection(_ features: String...) -> String { collection(features) }

func collection(_ features: [String]) -> String {
    "{\"type\":\"FeatureCollection\",\"features\":[\(features.joined(separator: ",\n"))]}"
}

func feature(
    _ type: String, _ coordinates: String, id: String? = "\"a\"", properties: String = "{}", more: String = ""
) -> String {
    "{\"type\":\"Feature\",\(id.map { "\"id\":\($0)," } ?? "")\"geometry\":{\"type\":\"\(type)\",\"coordinates\":\(coordinates)}"
        + ",\"properties\":\(properties)\(more)}"
}

private let square = "[[0,0],[1,0],[1,1],[0,1],[0,0]]"

@Suite("Reading geofences")
struct GeofenceReaderTests {
    @Test("Every kind of geofence is read with all properties")
    func kinds() throws {
        let reading = try Reading(
            collection(
                feature(
                    "Point", "[-3.7038,40.4168,667.5]", id: "\"depot\"",
                    properties: """
                        {"radius": 150, "name": "Depot \\u00e9\\ud83d\\ude9a", "notify_on_entry": false, "notify_on_exit": true,
                         "notify_on_dwell": true, "loitering_delay": 60, "initial": "none", "significance": "DEPOT",
                         "schedule": "* 8-17 * * 1-5", "speed_limit": 5.5,
                         "extras": {"b": [1, 2.50, {"z": null, "y": true}], "a": "x\\n"}}
                        """),
                feature(
                    "LineString", "[[0,0],[0.5,0.5]]", id: nil, properties: "{\"corridor\":25,\"identifier\":\"way\"}"),
                feature("Polygon", "[\(square),[[0.2,0.2],[0.4,0.2],[0.4,0.4],[0.2,0.2]]]", id: "7"),
                feature("MultiPolygon", "[[\(square)],[[[2,2],[3,2],[3,3],[2,2]]]]", id: "\"m\"", properties: "null")))
        #expect(reading.problems == [])
        #expect(reading.fences.map(\.identifier) == ["depot", "way", "7", "m"])
        let rule = try #require(reading.fences.first).rule
        #expect(rule.name == "Depot é🚚")
        #expect(!rule.notifiesOnEntry && rule.notifiesOnExit && rule.notifiesOnDwell)
        #expect(rule.loiteringDelaySeconds == 60)
        #expect(rule.initialTrigger == .none)
        #expect(rule.significance == "DEPOT")
        #expect(rule.schedule?.expressions == ["* 8-17 * * 1-5"])
        #expect(rule.speedLimitMetersPerSecond == 5.5)
        #expect(rule.extras == "{\"a\":\"x\\u000a\",\"b\":[1,2.50,{\"y\":true,\"z\":null}]}")
        #expect(reading.fences[1].rule == GeofenceRule())
        guard case .circle(let circle) = reading.fences[0].shape, case .corridor(let way) = reading.fences[1].shape,
            case .polygon(let polygon) = reading.fences[2].shape, case .polygon(let two) = reading.fences[3].shape
        else { throw HarnessError("other shapes") }
        #expect(circle.radiusMeters == 150 && circle.center.longitudeDegrees == -3.7038)
        #expect(way.path.count == 2 && way.halfWidthMeters == 25)
        #expect(polygon.polygons.map(\.count) == [2])
        #expect(two.polygons.map(\.count) == [1, 1])
    }

    @Test("A schedule may be a list of expressions; a wrong element refuses the geofence and is named")
    func scheduleList() throws {
        func read(_ schedule: String) throws -> Reading {
            try Reading(feature("Point", "[1,2]", id: "\"a\"", properties: "{\"radius\":50,\"schedule\":\(schedule)}"))
        }
        let nights = ["* 22-23 * * 1-5", "* 0-5 * * 2-6"]
        let reading = try read("[\"\(nights[0])\", \"\(nights[1])\"]")
        #expect(reading.problems == [])
        let fence = try #require(reading.fences.first)
        #expect(fence.rule.schedule?.expressions == nights)
        #expect(try Reading(bytes: GeofenceWriter.feature(fence)).fences == [fence])
        let many = [String](repeating: "\"* * * * *\"", count: 40).joined(separator: ",")
        for wrong in ["[]", "[\"* * * * *\", 5]", "[\"* 25 * * *\", \"* * * * *\"]", "{}", "[[]]", "[\(many)]"] {
            let reading = try read(wrong)
            #expect(reading.fences.isEmpty && reading.problems.map(\.path) == ["properties.schedule"], "\(wrong)")
        }
        #expect(try read("[\"* 25 * * *\", \"* * * * *\"]").problems.first?.value == "\"* 25 * * *\"")
    }

    @Test("Outer rings are read anticlockwise and holes clockwise, in any direction")
    func winding() throws {
        let backwards = "[[0,0],[0,1],[1,1],[1,0],[0,0]]"
        let hole = "[[0.2,0.2],[0.4,0.2],[0.4,0.4],[0.2,0.2]]"
        for rings in ["[\(square),\(hole)]", "[\(backwards),\(hole)]"] {
            let reading = try Reading(feature("Polygon", rings))
            guard case .polygon(let polygon)? = reading.fences.first?.shape else { throw HarnessError("no polygon") }
            let areas = polygon.polygons[0].map { RingValidator.doubledSignedArea(UnwrappedRing(ring: $0).points) }
            #expect(areas[0] > 0 && areas[1] < 0)
        }
    }

    @Test("A single Feature, empty sets, foreign members and a byte order mark are accepted")
    func forms() throws {
        #expect(try Reading(collection()).fences == [])
        #expect(try Reading("\u{FEFF} \(feature("Polygon", "[\(square)]"))\n").fences.count == 1)
        let reading = try Reading(
            """
            { "name": "places", "crs": {"type": "name"}, "bbox": [0,0,1,1],
              "features": [{ "bbox": [1], "note": {"deep": [[[]]]}, "properties": {"name": null, "radius": 9},
                "geometry": {"coordinates": [ 1.5e0 , 2 ], "bbox": [], "type": "Point"}, "id": "p", "type": "Feature" }],
              "type": "FeatureCollection" }
            """)
        #expect(reading.problems == [])
        #expect(reading.fences.map(\.identifier) == ["p"])
    }

    @Test("Longitudes across the antimeridian are wrapped", arguments: [190.0, -195, 540, -540, 180])
    func wrapped(longitude: Double) throws {
        let reading = try Reading(feature("Point", "[\(longitude),1]", properties: "{\"radius\":10}"))
        guard case .circle(let circle)? = reading.fences.first?.shape else { throw HarnessError("no circle") }
        let difference = (circle.center.longitudeDegrees - longitude).remainder(dividingBy: 360)
        #expect(difference == 0)
    }

    @Test("Pieces of any length give the same result")
    func pieces() throws {
        let text = collection(
            feature(
                "Point", "[-3.70380123456789012,40.4168e-1]",
                properties: "{\"radius\":150,\"name\":\"é\\ud83d\\ude9a\"}"),
            feature("Polygon", "[[[0,0],[1.25,0.0],\n [1,1,5],[0,1.0e0],[0,0]]]", id: "\"b\""),
            feature("Polygon", "[[[0,0],[1,1],[1,0],[0,1],[0,0]]]", id: "\"c\"", properties: "{\"radus\": [1,2]}"))
        let whole = try Reading(text)
        #expect(whole.fences.count == 2)
        for count in 1...60 {
            let pieces = try Reading(Array(text.utf8), inPiecesOf: count)
            #expect(pieces.fences == whole.fences)
            #expect(pieces.problems.map(\.path) == whole.problems.map(\.path))
            #expect(pieces.problems.map(\.line) == whole.problems.map(\.line))
        }
    }
}

@Suite("Invalid geofences")
struct FenceProblemTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var feature: String
        var path: String
        var words: String
        var testDescription: String { words }

        init(_ feature: String, _ path: String, _ words: String) {
            (self.feature, self.path, self.words) = (feature, path, words)
        }

        static func properties(_ properties: String, _ path: String, _ words: String) -> Row {
            Row(GeoJSONTests.feature("Point", "[1,2]", properties: properties), "properties.\(path)", words)
        }
    }

    static let rows: [Row] = [
        .properties("{\"radius\":4.9}", "radius", "from 5.0"),
        .properties("{\"radius\":1e9}", "radius", "up to"),
        .properties("{\"radius\":\"150\"}", "radius", "write a number"),
        .properties("{}", "radius", "a Point needs a radius"),
        .properties("{\"radius\":null}", "radius", "a Point needs a radius"),
        .properties("{\"radus\":150}", "radus", "did you mean \"radius\"?"),
        .properties("{\"radius\":150,\"colour\":\"red\"}", "colour", "extras"),
        .properties("{\"radius\":150,\"radius\":150}", "radius", "said twice"),
        .properties("{\"radius\":150,\"notify_on_exit\":1}", "notify_on_exit", "true or false"),
        .properties("{\"radius\":150,\"loitering_delay\":-1}", "loitering_delay", "from 0.0"),
        .properties("{\"radius\":150,\"speed_limit\":0}", "speed_limit", "above 0"),
        .properties("{\"radius\":150,\"initial\":\"exit\"}", "initial", "\"enter\" or \"none\""),
        .properties("{\"radius\":150,\"schedule\":\"* 25 * * *\"}", "schedule", "25"),
        .properties("{\"radius\":150,\"extras\":[1]}", "extras", "an object"),
        .properties("{\"radius\":150,\"extras\":{\"a\":1,\"a\":2}}", "extras", "twice"),
        .properties("{\"radius\":150,\"identifier\":\"b\"}", "identifier", "one of the two"),
        .properties("{\"radius\":150,\"name\":7}", "name", "a string"),
        Row(feature("Point", "[1,2]", properties: "[]"), "properties", "an object"),
        Row(feature("Point", "[1,2]", id: nil, properties: "{\"radius\":9}"), "", "needs an identifier"),
        Row(feature("Point", "[1,2]", id: "\"\"", properties: "{\"radius\":9}"), "id", "1 to 256"),
        Row(feature("Point", "[1,2]", id: "[]", properties: "{\"radius\":9}"), "id", "a string"),
        Row(feature("Point", "[200,95]", properties: "{\"radius\":9}"), "geometry.coordinates", "beyond ±90"),
        Row(feature("Point", "[40.4,-103.7]", properties: "{\"radius\":9}"), "geometry.coordinates", "swapped"),
        Row(feature("Point", "[541,0]", properties: "{\"radius\":9}"), "geometry.coordinates", "longitude is beyond"),
        Row(
            feature("Point", "[1]", properties: "{\"radius\":9}"), "geometry.coordinates",
            "needs longitude and latitude"),
        Row(feature("Point", "[]", properties: "{\"radius\":9}"), "geometry.coordinates", "no position"),
        Row(feature("Point", "[\"1\",2]", properties: "{\"radius\":9}"), "geometry.coordinates", "two numbers"),
        Row(feature("Point", "7", properties: "{\"radius\":9}"), "geometry.coordinates", "an array"),
        Row(feature("Point", "[[1,2]]", properties: "{\"radius\":9}"), "geometry.coordinates", "of a Point are"),
        Row(feature("LineString", "[[1,2],[3,4]]"), "properties.corridor", "needs a corridor"),
        Row(
            feature("LineString", "[[1,2],[1,2]]", properties: "{\"corridor\":5}"), "geometry.coordinates",
            "two different"),
        Row(
            feature("LineString", "[[1,2],[3,4]]", properties: "{\"corridor\":0}"), "properties.corridor", "above 0"),
        Row(feature("Polygon", "[\(square)]", properties: "{\"radius\":9}"), "properties.radius", "only a Point"),
        Row(feature("Polygon", "[[[0,0],[1,0],[1,1],[0,1]]]"), "geometry.coordinates[0]", "not closed"),
        Row(feature("Polygon", "[[[0,0],[1,0],[0,0]]]"), "geometry.coordinates[0]", "four positions"),
        Row(feature("Polygon", "[[[0,0],[1,1],[2,2],[0,0]]]"), "geometry.coordinates[0]", "no area"),
        Row(feature("Polygon", "[[[0,0],[2,2],[2,0],[0,2],[0,0]]]"), "geometry.coordinates[0]", "crosses itself"),
        Row(
            feature("Polygon", "[[[0,0],[2,2],[2,0],[0,3],[0,0]]]"), "geometry.coordinates[0]",
            "crosses itself near [1.2, 1.2]"),
        Row(
            feature("Polygon", "[[[0,0],[1,1],[2,2],[2,0],[1,1],[0,3],[0,0]]]"), "geometry.coordinates[0]",
            "crosses itself"),
        Row(feature("Polygon", "[[[0,0],[2,0],[2,2],[2,0],[0,2],[0,0]]]"), "geometry.coordinates[0]", "runs back"),
        Row(
            feature("Polygon", "[\(square),[[2,2],[3,2],[3,3],[2,2]]]"), "geometry.coordinates[1]",
            "hole 1 lies outside"),
        Row(
            feature("Polygon", "[\(square),[[0.5,0.5],[3,0.5],[3,3],[0.5,0.5]]]"), "geometry.coordinates[1]",
            "hole 1 crosses the outer ring"),
        Row(
            feature(
                "Polygon",
                "[\(square),[[0.1,0.1],[0.9,0.1],[0.9,0.9],[0.1,0.1]],[[0.5,0.3],[0.8,0.3],[0.8,0.5],[0.5,0.3]]]"),
            "geometry.coordinates[2]", "hole 2 lies within hole 1"),
        Row(feature("Polygon", "[\(square),[]]"), "geometry.coordinates[1]", "no position"),
        Row(
            feature("Polygon", "[[0,0],[1,0],[1,1],[0,0]]"), "geometry.coordinates", "of a Polygon are a list of rings"),
        Row(feature("Polygon", "[[[0,0],[1,0]],[0,0]]"), "geometry.coordinates[1]", "nest all of them alike"),
        Row(
            feature("MultiPolygon", "[[\(square)],[[[0,0],[2,2],[2,0],[0,3],[0,0]]]]"), "geometry.coordinates[1][0]",
            "crosses itself"),
        Row(feature("MultiPolygon", "[[[[[1,2]]]]]"), "geometry.coordinates[0][0][0]", "deeper"),
        Row(feature("MultiPoint", "[[1,2]]"), "geometry.type", "a Feature of its own"),
        Row(feature("Poligon", "[\(square)]"), "geometry.type", "did you mean \"Polygon\"?"),
        Row("{\"type\":\"Feature\",\"id\":\"a\",\"geometry\":null}", "geometry", "needs a geometry"),
        Row("{\"type\":\"Feature\",\"id\":\"a\",\"geometry\":{\"type\":\"Point\"}}", "geometry", "missing"),
        Row("{\"type\":\"Feature\",\"id\":\"a\"}", "geometry", "needs a geometry"),
        Row(
            feature("Point", "[1,2]", properties: "{\"radius\":9}", more: ",\"speed_limit\":3"), "speed_limit",
            "properties"),
        Row(feature("Point", "[1,2]", more: ",\"propertis\":{\"radius\":9}"), "propertis", "did you mean"),
        Row("{\"type\":\"Featur\",\"id\":\"a\"}", "type", "must be \"Feature\""),
        Row("7", "", "a Feature was expected"),
    ]

    @Test(
        "A problem has its place and a correction, and does not affect other geofences", arguments: rows)
    func table(row: Row) throws {
        let good = feature("Polygon", "[\(square)]", id: "\"good\"")
        let reading = try Reading(
            collection(good, row.feature, feature("Point", "[3,4]", id: "\"z\"", properties: "{\"radius\":5}")))
        #expect(reading.fences.map(\.identifier) == ["good", "z"])
        let problem = reading.problems.first { $0.reason.contains(row.words) }
        #expect(problem != nil, "\(reading.problems)")
        #expect(problem?.path == "features[1]" + (row.path.isEmpty ? "" : ".") + row.path, "\(reading.problems)")
        #expect(problem?.feature == 2)
        #expect(problem?.line == 2)
    }

    @Test("Of geofences with one identifier the first counts, and the problems of the others name its line")
    func duplicates() throws {
        let reading = try Reading(
            collection(
                feature("Polygon", "[\(square)]"), feature("Polygon", "[\(square)]", id: "\"b\""),
                feature("Point", "[1,2]", properties: "{\"radius\":9}")))
        #expect(reading.fences.map(\.identifier) == ["a", "b"])
        #expect(reading.problems.map(\.line) == [3])
        #expect(reading.problems.first?.reason.contains("line 1 has a fence of the same identifier") == true)
        #expect(reading.problems.first?.identifier == "a")
        // One that is refused does not count.
        let late = try Reading(
            collection(feature("Point", "[1,2]"), feature("Polygon", "[\(square)]")))
        #expect(late.fences.map(\.identifier) == ["a"] && late.problems.map(\.line) == [1])
    }
}

@Suite("Invalid documents")
struct DocumentErrorTests {
    @Test(
        "A text that is not a geofence document is refused as a whole, with the place and a correction",
        arguments: [
            ("", "empty"), ("  \n ", "empty"), ("[]", "FeatureCollection was expected"),
            ("{}", "no \"type\""), ("{\"type\":\"Feature\",\"features\":[]}", "has no \"features\""),
            ("{\"type\":\"FeatureCollection\"}", "needs \"features\""),
            ("{\"type\":\"FeatureColection\"}", "did you mean \"FeatureCollection\"?"),
            ("{\"type\":\"Point\",\"coordinates\":[1,2]}", "by itself"),
            ("{\"type\":\"FeatureCollection\",\"features\":{}}", "must be an array"),
            ("{\"type\":\"FeatureCollection\",\"features\":[]} x", "behind the end"),
            ("{\"type\":\"FeatureCollection\",\"features\":[],}", "a key in quotes"),
            ("{\"type\":\"FeatureCollection\",\"features\":[1,]}", "behind \",\""),
            ("{\"type\":\"FeatureCollection\",\"features\":[NaN]}", "NaN"),
            ("{\"type\":\"FeatureCollection\",\"features\":[01]}", "zero before"),
            ("{\"type\":\"FeatureCollection\",\"features\":[1.]}", "a digit"),
            ("{\"type\":\"FeatureCollection\",\"features\":[+1]}", "+1"),
            ("{\"type\":\"FeatureCollection\",\"features\":[tru]}", "misspelled"),
            ("{\"type\":\"FeatureCollection\",\"features\":[\"\\x\"]}", "no escape"),
            ("{\"type\":\"FeatureCollection\",\"features\":[\"\\ud800\"]}", "half a character"),
            ("{\"type\":\"FeatureCollection\",\"features\":[\"a\nb\"]}", "control character"),
            ("{'type':'FeatureCollection'}", "a key in quotes"),
        ])
    func table(text: String, words: String) {
        let error = #expect(throws: JSONError.self) { try Reading(text) }
        #expect(error?.reason.contains(words) == true, "\(String(describing: error))")
        #expect(error?.line ?? 0 > 0)
    }

    @Test(
        "Invalid UTF-8 is refused",
        arguments: [[0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF5, 0x80, 0x80, 0x80]])
    func encoding(bytes: [UInt8]) {
        let text = Array("{\"type\":\"FeatureCollection\",\"features\":[\"".utf8) + bytes + Array("\"]}".utf8)
        let error = #expect(throws: JSONError.self) { try Reading(bytes: text) }
        #expect(error?.reason.contains("UTF-8") == true)
    }

    @Test("UTF-16 is refused as such, with and without a mark", arguments: [[], [0xFF, 0xFE]] as [[UInt8]])
    func utf16(mark: [UInt8]) {
        let text = Array(#"{"type":"FeatureCollection","features":[]}"#.utf8)
        let little = text.flatMap { byte -> [UInt8] in [byte, 0] }
        let big = text.flatMap { byte -> [UInt8] in [0, byte] }
        for bytes in [mark + little, mark.reversed() + big] {
            let error = #expect(throws: JSONError.self) { try Reading(bytes: bytes) }
            #expect(error?.reason.contains("UTF-8") == true, "\(String(describing: error))")
        }
    }

    @Test("A truncated document is refused, in pieces of any length")
    func cut() throws {
        let text = Array(
            collection(
                feature(
                    "Point", "[-3.7038,40.4168]",
                    properties: "{\"radius\":1.5e2,\"name\":\"é\\n\",\"extras\":{\"a\":[null]}}")
            ).utf8)
        #expect(try Reading(bytes: text).fences.count == 1)
        for count in 0..<text.count {
            #expect(throws: JSONError.self) { try Reading(bytes: Array(text[..<count])) }
            #expect(throws: JSONError.self) { try Reading(Array(text[..<count]), inPiecesOf: 7) }
        }
    }

    @Test("Deep nesting is refused at any place")
    func deep() {
        let deep = String(repeating: "[", count: 10_000)
        let objects = String(repeating: "{\"a\":", count: 10_000)
        for text in [
            deep, collection(deep), collection(feature("Polygon", deep)), collection(objects),
            collection(feature("Point", "[1,2]", properties: "{\"extras\":\(objects)")),
            collection(feature("Point", "[1,2]", properties: "{\"extras\":{\"a\":\(deep)")),
            "{\"x\":\(deep)",
        ] {
            #expect(throws: JSONError.self) { try Reading(text) }
        }
    }

    @Test(
        "A misplaced member of a collection is a problem of the document, and its geofences stay valid",
        arguments: [
            (#""radius": 50"#, "radius", "belongs into"), (#""feature": []"#, "feature", "did you mean"),
            (#""properties": { "radios": 5 }"#, "properties.radios", "did you mean"),
        ])
    func rootMember(member: String, path: String, reason: String) throws {
        let features = "\"features\":[\(feature("Polygon", "[\(square)]"))]"
        for text in ["\(member),\(features)", "\(features),\(member)"] {
            let reading = try Reading("{\"type\":\"FeatureCollection\",\(text)}")
            #expect(reading.fences.map(\.identifier) == ["a"])
            let problem = try #require(reading.problems.first)
            #expect(
                reading.problems.count == 1 && problem.path == path && problem.reason.contains(reason), "\(problem)")
            #expect(problem.feature == 0 && problem.identifier == nil && "\(problem)".hasPrefix("the document ("))
        }
    }
}
