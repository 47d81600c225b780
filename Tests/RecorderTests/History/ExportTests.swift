import OdographCivilTime
import OdographHarness
import OdographGeodesy
import OdographJSON
import OdographModel
import OdographPositioning
import OdographWire
import Testing

@testable import OdographRecorder

@Suite("Exports")
struct ExportTests {
    private static let formula = "=HYPERLINK(\"http://x\",\"a\")"

    private static func day() throws -> [Archive.Message] {
        [
            try Payloads.position(1, at: "2026-11-21T09:00:00.250Z", latitude: 40.1234567),
            try Payloads.position(2, at: "2026-11-21T09:00:01.000Z", latitude: 0.00000123, speed: -1, isMock: true),
            // The geofence event has the position of its location.
            try Payloads.position(3, at: "2026-11-21T09:00:01.000Z", latitude: 0.00000123, geofence: formula),
            try Payloads.position(4, at: "2026-11-21T09:00:02.000Z", driver: .string("-1+1, \"x\"")),
            try Payloads.event(5, "a", from: "2026-11-21T09:00:00Z", to: nil),
            try Payloads.position(6, at: "2026-11-21T11:00:03.000Z", isUndated: true),
        ]
    }

    /// Returns the text of an export, of pages that are smaller than the day.
    private static func text(_ archive: Archive, _ format: ExportFormat, from start: String = "2026-11-21T09:00:00Z")
        throws -> String
    {
        let history = try HistoryDatabase(archive.location)
        let export = RecordExport(
            try history.vehicle(named: "van-7", fleet: nil), in: instant(start)..<instant("2026-11-22T00:00:00Z"),
            as: format, pageSize: 2)
        var bytes: [UInt8] = []
        _ = try export.write(from: history) { bytes += $0 }
        return try #require(String(validating: bytes, as: UTF8.self))
    }

    private static func archive() throws -> Archive {
        let archive = try Archive()
        try archive.store(try day())
        return archive
    }

    @Test("An export of PostgreSQL has the same bytes as one of SQLite", arguments: ExportFormat.allCases)
    func server(format: ExportFormat) async throws {
        let server = try await Archive.make(.postgreSQL, try Self.day())
        #expect(try Self.text(server, format) == Self.text(try Self.archive(), format))
    }

    @Test(
        "An export of all records has those whose number another record has, if they are of the time",
        arguments: DatabaseKind.allCases)
    func conflicts(kind: DatabaseKind) async throws {
        let archive = try await Archive.make(kind, try Self.day())
        let lines = try Self.text(archive, .jsonl).split(separator: "\n")
        try archive.store([
            Payloads.position(1, at: "2026-11-21T09:30:00.000Z", latitude: 41),
            Payloads.position(2, at: "2026-11-20T09:30:00.000Z", latitude: 42),
            Payloads.event(5, "b", from: "2026-11-21T09:10:00Z", to: nil),
        ])
        let all = try Self.text(archive, .jsonl).split(separator: "\n")
        #expect(Array(all.prefix(lines.count)) == lines)
        let others = all.dropFirst(lines.count)
        #expect(others.count == 2)
        #expect(others.first?.hasPrefix(#"{"channel":"location","conflict":true,"payload":{"#) == true)
        #expect(others.first?.contains(#""latitude":41"#) == true)
        #expect(others.last?.hasPrefix(#"{"channel":"timeline","conflict":true,"payload":{"#) == true)
        let track = try Self.text(archive, .csv).split(separator: "\n")
        #expect(track.count == 6)
    }

    @Test("A record without a position is in no track", arguments: [ExportFormat.gpx, .geojson, .csv])
    func givenUp(format: ExportFormat) throws {
        let (archive, expected) = (try Archive(), try Archive())
        let position = (van + "location", try Payloads.location(1))
        try archive.store([position, (van + "given_up", try Payloads.givenUp(9, [Payloads.named(2...8)]))])
        try expected.store([position])
        let start = "2026-09-01T00:00:00Z"
        #expect(try Self.text(archive, format, from: start) == Self.text(expected, format, from: start))
        #expect(try archive.rows("SELECT count(*) FROM records") == [["2"]])
    }

    @Test("GPX is read again with the same positions, times, heights and speeds")
    func gpx() throws {
        let archive = try Self.archive()
        let text = try Self.text(archive, .gpx)
        let reader = try CaptureReader(ReplaySettings(path: archive.folder.write(text, to: "track.gpx")))
        var fixes: [Fix] = []
        while let event = try reader.next() {
            if case .fix(let fix) = event.content { fixes.append(fix) }
        }
        // The position without a certain date has no time, and a capture needs one.
        #expect(
            fixes.map(\.timestamp.iso8601) == [
                "2026-11-21T09:00:00.250Z", "2026-11-21T09:00:01.000Z", "2026-11-21T09:00:02.000Z",
            ])
        #expect(fixes.map(\.coordinate.latitudeDegrees) == [40.1234567, 0.0000012, 40])
        #expect(fixes.map(\.speedMetersPerSecond) == [12.5, nil, 12.5])
        #expect(fixes.allSatisfy { $0.altitudeMeters == 650.5 && $0.coordinate.longitudeDegrees == -3.7 })
        #expect(text.matches(of: #/<trkpt /#).count == 4 && text.matches(of: #/<trkseg>/#).count == 2)
        #expect(text.matches(of: #/<src>mock</src>/#).count == 1)
        #expect(text.matches(of: #/<time>/#).count == 3)
    }

    @Test("An export of no records is a valid document")
    func empty() throws {
        let archive = try Self.archive()
        let start = "2026-11-21T20:00:00Z"
        #expect(try Self.text(archive, .gpx, from: start).hasSuffix("<name>van-7</name>\n</trk>\n</gpx>\n"))
        let points = try JSONCoder.decode(
            JSONValue.self, from: Array(try Self.text(archive, .geojson, from: start).utf8))
        #expect(points == .object(["type": .string("FeatureCollection"), "features": .array([])]))
        #expect(try Self.text(archive, .csv, from: start).split(separator: "\n").count == 1)
        #expect(try Self.text(archive, .jsonl, from: start).isEmpty)
    }

    @Test("GeoJSON has a Point for each position, with its longitude first and the members of its record")
    func geojson() throws {
        struct Collection: Decodable {
            struct Feature: Decodable {
                struct Geometry: Decodable {
                    let type: String
                    let coordinates: [Double]
                }
                let type: String
                let geometry: Geometry
                let properties: [String: JSONValue]
            }
            let type: String
            let features: [Feature]
        }
        let text = try Self.text(try Self.archive(), .geojson)
        let collection = try JSONCoder.decode(Collection.self, from: Array(text.utf8))
        #expect(collection.type == "FeatureCollection")
        #expect(collection.features.map { $0.properties["seq"] } == [1, 2, 3, 4, 6].map { .integer($0) })
        #expect(collection.features.allSatisfy { $0.type == "Feature" && $0.geometry.type == "Point" })
        #expect(collection.features.first?.geometry.coordinates == [-3.7, 40.1234567])
    }

    @Test("JSON lines are the messages as they came, of all channels")
    func jsonLines() throws {
        let lines = try Self.text(try Self.archive(), .jsonl).split(separator: "\n")
        let expected = try Self.day().map { message in
            let channel = message.topic.split(separator: "/").last ?? ""
            return "{\"channel\":\"\(channel)\",\"payload\":\(String(decoding: message.payload, as: UTF8.self))}"
        }
        #expect(Set(lines.map(String.init)) == Set(expected) && lines.count == expected.count)
    }

    @Test("CSV has a field for each column in each line, and no spreadsheet reads a text of a vehicle as a formula")
    func csv() throws {
        let rows = try Self.rows(try Self.text(try Self.archive(), .csv))
        #expect(rows.count == 6 && rows.allSatisfy { $0.count == rows[0].count })
        let columns = Dictionary(uniqueKeysWithValues: zip(rows[0], 0...))
        let geofence = try #require(columns["geofence"])
        let driver = try #require(columns["driver"])
        #expect(rows[3][geofence] == "'" + Self.formula)
        #expect(rows[4][driver] == "'-1+1, \"x\"")
        let longitude = try #require(columns["longitude"])
        #expect(rows.dropFirst().allSatisfy { $0[longitude] == "-3.7" })
    }

    @Test(
        "A text in CSV is one field of one line that is no formula",
        arguments: [
            ("plain", "plain"), ("=1", "'=1"), ("+1", "'+1"), ("-1", "'-1"), ("@x", "'@x"), (" =1", "' =1"),
            ("\"=1", "'\"=1"), ("＝1", "'＝1"), ("a,b", "a,b"), ("a\"b", "a\"b"), ("a;b", "a;b"),
            ("a\r\nb", "a\u{FFFD}b"), ("\t=1", "\u{FFFD}=1"), ("", ""),
        ])
    func field(text: String, expected: String) throws {
        let line = CSVField.line([.text(text), .text("end")])
        #expect(line.count { $0.isNewline } == 1)
        let rows = try Self.rows(line)
        #expect(rows.count == 1 && rows.first?.count == 2)
        let read = rows.first?.first ?? "none"
        // A line end of two characters becomes one or two replacements.
        #expect(read.replacing("\u{FFFD}\u{FFFD}", with: "\u{FFFD}") == expected)
    }

    /// Reads a table as RFC 4180 says.
    private static func rows(_ text: String) throws -> [[String]] {
        var rows: [[String]] = [[""]]
        var isQuoted = false
        var rest = text.unicodeScalars[...]
        func append(_ scalar: Unicode.Scalar) {
            rows[rows.count - 1][rows[rows.count - 1].count - 1].unicodeScalars.append(scalar)
        }
        while let scalar = rest.popFirst() {
            if isQuoted {
                if scalar != "\"" {
                    append(scalar)
                } else if rest.first == "\"" {
                    append(scalar)
                    rest.removeFirst()
                } else {
                    isQuoted = false
                }
            } else if scalar == "\"" {
                isQuoted = true
            } else if scalar == "," {
                rows[rows.count - 1].append("")
            } else if scalar == "\n" {
                rows.append([""])
            } else {
                append(scalar)
            }
        }
        try #require(!isQuoted && rows.last == [""])
        return rows.dropLast()
    }
}
