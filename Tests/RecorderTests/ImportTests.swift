import OdographCivilTime
import OdographHarness
import OdographJSON
import OdographWire
import Testing

@testable import OdographRecorder

@Suite("Import of positions")
struct ImportTests {
    /// The folder of the files of a test, which must be there as long as the test.
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static let now = Timestamp(millisecondsSinceEpoch: 1_800_000_000_000)
    private static let track = """
        <?xml version="1.0"?>
        <gpx version="1.1" xmlns="http://www.topografix.com/GPX/1/1"><trk><trkseg>
        <trkpt lat="40.4" lon="-3.7"><ele>650</ele><time>2026-01-05T08:00:00Z</time></trkpt>
        <trkpt lat="40.5" lon="-3.8"><time>2026-01-05T08:01:00.500Z</time>
        <extensions><speed>12.5</speed></extensions></trkpt>
        </trkseg></trk></gpx>

        """
    private static let ownTracks = """
        2026-01-05T08:00:00Z\t*                 \t{"_type":"location","lat":40.4,"lon":-3.7,"tst":1767600000,"acc":8,"vel":36,"cog":90,"alt":650}
        2026-01-05T08:00:30Z\tlwt               \t{"_type":"lwt","tst":1767600030}
        2026-01-05T08:01:00Z\t*                 \t{"_type":"location","lat":40.5,"lon":-3.8,"tst":1767600060}

        """
    private static let traccar = """
        id,deviceId,protocol,serverTime,deviceTime,fixTime,valid,latitude,longitude,altitude,speed,course,address,accuracy,motion
        1,7,osmand,2026-01-05 09:00:01,2026-01-05 09:00:00,2026-01-05 09:00:00,true,40.4,-3.7,650.0,10.0,90.0,,8.0,true
        2,7,osmand,2026-01-05 09:01:01,2026-01-05 09:01:00,2026-01-05 09:01:00,true,40.5,-3.8,0.0,0.0,0.0,Calle Mayor, 1, Madrid,0.0,
        3,7,osmand,2026-01-05 09:02:01,2026-01-05 09:02:00,2026-01-05 09:02:00,false,0.0,0.0,0.0,0.0,0.0,,0.0,

        """

    private static func vehicle() throws -> DeviceAddress { try DeviceAddress(fleet: "acme", device: "van-7") }

    private static func file(
        _ text: String, in folder: TemporaryFolder, format: ImportFormat? = nil, zone: ZoneRules? = .utc
    ) throws -> ImportedFile {
        try ImportedFile(try folder.write(text, to: "history"), format: format, zone: zone, now: now)
    }

    private static func run(
        _ files: [ImportedFile], into archive: Archive, skipsUnreadable: Bool = false, removes: Bool = false
    ) throws -> [ImportCounts] {
        var counts: [ImportCounts] = []
        let job = PositionImport(vehicle: try vehicle(), skipsUnreadable: skipsUnreadable)
        func note(_ file: ImportedFile, _ read: ImportCounts) {
            counts.append(read)
            counts[counts.count - 1].times = nil
        }
        if removes {
            try job.remove(files, from: archive.location, report: note)
        } else {
            try job.run(files, into: archive.location, report: note)
        }
        return counts
    }

    /// Returns the message of the error with which a file is refused.
    private static func refusal(_ text: String, format: ImportFormat? = nil) throws -> String {
        let folder = try TemporaryFolder()
        do {
            let job = PositionImport(vehicle: try vehicle(), skipsUnreadable: false)
            return "\(try job.check(try file(text, in: folder, format: format)))"
        } catch let failure as ImportFailure {
            return failure.description.replacing(folder.file("history"), with: "FILE")
        }
    }

    @Test(
        "The format follows from the contents, and each has the same positions",
        arguments: [(track, ImportFormat.gpx), (ownTracks, .ownTracks), (traccar, .traccarTable)])
    func formats(text: String, format: ImportFormat) throws {
        let zone = try ZoneDirectory.system.rules(named: "Europe/Madrid")
        let file = try Self.file(text, in: folder, zone: zone)
        #expect(file.format == format)
        var positions: [ImportedPosition] = []
        try file.forEach { if case .position(let position) = $1 { positions.append(position) } }
        #expect(positions.map { $0.time.iso8601.prefix(19) } == ["2026-01-05T08:00:00", "2026-01-05T08:01:00"])
        #expect(positions.map(\.latitude) == [40.4, 40.5] && positions.map(\.longitude) == [-3.7, -3.8])
        #expect(positions[0].altitude == 650)
        switch format {
        case .gpx: #expect(positions.map(\.speed) == [nil, 12.5])
        case .ownTracks: #expect(positions.map(\.speed) == [10, nil] && positions.map(\.accuracy) == [8, nil])
        case .traccarTable:
            #expect(positions.map(\.accuracy) == [8, nil] && positions.map(\.heading) == [90, 0])
            #expect(positions.map { (($0.speed ?? -1) * 1000).rounded() } == [5144, 0])
        }
    }

    @Test(
        "The same import twice stores nothing twice, and touches neither numbers nor gaps",
        arguments: DatabaseKind.allCases)
    func twice(_ kind: DatabaseKind) async throws {
        let archive = try await Archive.make(kind, [(van + "location", try Payloads.location(5))])
        let before = try archive.contents()
        let file = try Self.file(Self.track, in: folder)
        #expect(try Self.run([file], into: archive) == [ImportCounts(stored: 2)])
        #expect(try Self.run([file, file], into: archive) == [ImportCounts(known: 2), ImportCounts(known: 2)])
        let after = try archive.contents()
        for table in ["runs", "covered", "given_up", "gaps", "open_gaps", "latest", "conflicts", "vehicles"] {
            #expect(after[table] == before[table], "\(table)")
        }
        #expect(after["records"]?.count == 3)
        #expect(
            try archive.rows("SELECT epoch, kind, is_moving, odometer, time FROM records WHERE epoch = 0 ORDER BY time")
                == [
                    ["0", "location", "NULL", "NULL", "2026-01-05T08:00:00.000Z"],
                    ["0", "location", "1", "NULL", "2026-01-05T08:01:00.500Z"],
                ])
        // The recorder goes on, also with a record of the same time.
        try archive.store([(van + "location", try Payloads.location(6, date: "2026-01-05T08:00:00.000Z"))])
        #expect(try archive.rows("SELECT count(*) FROM records") == [["4"]])
        #expect(try RecorderStatus(of: archive.location).records == 2)
    }

    @Test("A track, an export and the newest position contain imported positions", arguments: DatabaseKind.allCases)
    func reading(_ kind: DatabaseKind) async throws {
        let archive = try await Archive.make(kind)
        #expect(
            try Self.run([try Self.file(Self.track, in: folder)], into: archive)
                == [ImportCounts(stored: 2)])
        let history = try archive.history()
        let vehicle = try history.vehicle(named: "van-7", fleet: "acme")
        // From exactly the time of the first one, in pages of one.
        let start = try #require(Timestamp(iso8601: "2026-01-05T08:00:00Z"))
        var pages = try TrackPages(vehicle: vehicle, times: start..<Self.now, after: nil)
        var rows: [JSONValue] = []
        for _ in 0..<2 {
            rows += try pages.read(from: history, limit: 1).rows.map { try JSONCoder.decode(JSONValue.self, from: $0) }
        }
        #expect(rows.map { $0["latitude"]?.double } == [40.4, 40.5] && rows.allSatisfy { $0["epoch"] == .integer(0) })
        for format in ExportFormat.allCases {
            var bytes: [UInt8] = []
            let count = try RecordExport(vehicle, in: .earliest..<Self.now, as: format).write(from: history) {
                bytes += $0
            }
            #expect(count == 2 && String(decoding: bytes, as: UTF8.self).contains("40.5"), "\(format)")
        }
        #expect(try history.latestPositions(fleet: nil, hasPayload: true).first?.position?.latitude == 40.5)
        // Of a vehicle of which only imported positions are known, no rule expects anything.
        try archive.database.begin([
            Rule(name: "silent", condition: .silent(seconds: 60), target: .command(["/bin/true"]))
        ])
        try archive.database.tick(connectedSince: ContinuousClock.now - .seconds(36_000), gaps: nil)
        #expect(try archive.rows("SELECT count(*) FROM notifications") == [["0"]])
    }

    @Test("An erasure removes imported positions, and they do not come back", arguments: DatabaseKind.allCases)
    func erasure(_ kind: DatabaseKind) async throws {
        let archive = try await Archive.make(kind)
        let file = try Self.file(Self.track, in: folder)
        _ = try Self.run([file], into: archive)
        let vehicle = try archive.history().vehicle(named: "van-7", fleet: "acme")
        let limit = try #require(Timestamp(iso8601: "2026-01-05T08:01:00Z"))
        let erased = try RecordEraser(archive.location).erase(
            Erasure(.vehicle(vehicle), from: nil, to: limit), now: Self.now)
        #expect(erased.map(\.positions) == [1])
        #expect(try Self.run([file], into: archive) == [ImportCounts(known: 1, erased: 1)])
        #expect(try archive.rows("SELECT count(*) FROM records") == [["1"]])
    }

    @Test("A replayed position of a recorder's own export stays one", arguments: DatabaseKind.allCases)
    func mock(_ kind: DatabaseKind) async throws {
        let origin = try Archive()
        try origin.store([
            Payloads.position(1, at: "2026-01-05T08:00:00Z", isMock: true),
            Payloads.position(2, at: "2026-01-05T08:01:00Z"),
        ])
        let history = try origin.history()
        let vehicle = try history.vehicle(named: "van-7", fleet: nil)
        var track: [UInt8] = []
        _ = try RecordExport(vehicle, in: .earliest..<Self.now, as: .gpx).write(from: history) { track += $0 }
        let archive = try await Archive.make(kind)
        let file = try Self.file(String(decoding: track, as: UTF8.self), in: folder)
        #expect(try Self.run([file], into: archive) == [ImportCounts(stored: 2)])
        #expect(try archive.rows("SELECT mock FROM records ORDER BY time") == [["1"], ["0"]])
        let payloads = try archive.rows("SELECT payload FROM records ORDER BY time").map { $0[0] }
        #expect(payloads.map { $0.contains("\"mock\":true") } == [true, false])
    }

    @Test("A removed import leaves nothing, and can be repeated with another zone", arguments: DatabaseKind.allCases)
    func removal(_ kind: DatabaseKind) async throws {
        let archive = try await Archive.make(kind)
        let wrong = try Self.file(Self.traccar, in: folder)
        _ = try Self.run([wrong], into: archive)
        #expect(try archive.rows("SELECT count(*) FROM latest") == [["1"]])
        #expect(
            try Self.run([wrong, wrong], into: archive, removes: true)
                == [ImportCounts(removed: 2, others: 1), ImportCounts(absent: 2, others: 1)])
        #expect(
            try archive.rows("SELECT (SELECT count(*) FROM records), (SELECT count(*) FROM latest)") == [["0", "0"]])
        let zone = try ZoneDirectory.system.rules(named: "Europe/Madrid")
        let right = try Self.file(Self.traccar, in: folder, zone: zone)
        #expect(try Self.run([right], into: archive) == [ImportCounts(stored: 2, others: 1)])
        #expect(try archive.rows("SELECT min(time) FROM records") == [["2026-01-05T08:00:00.000Z"]])
        #expect(try archive.rows("SELECT count(*) FROM latest JOIN records USING (vehicle, epoch, seq)") == [["1"]])
    }

    @Test("The text of an import has the first and the last time, and the lines without a position")
    func text() throws {
        let counts = try PositionImport(vehicle: Self.vehicle(), skipsUnreadable: false)
            .check(Self.file(Self.track, in: folder))
        #expect(
            counts.readText
                == "2 positions readable, none stored; from 2026-01-05T08:00:00.000Z to 2026-01-05T08:01:00.500Z")
        #expect(ImportCounts(stored: 1, others: 1).text == "1 position stored, 1 line without a valid position")
    }

    @Test("A folder is no file")
    func folderAsFile() throws {
        #expect {
            try ImportedFile(folder.path, format: nil, zone: .utc)
        } throws: { error in
            (error as? ImportFailure)?.kind == .missing
        }
    }

    @Test("A time without a zone is refused if nobody says which one it has")
    func noZone() throws {
        #expect(throws: ImportFailure.self) {
            try PositionImport(vehicle: Self.vehicle(), skipsUnreadable: false)
                .check(Self.file(Self.traccar, in: folder, zone: nil))
        }
    }

    @Test("Imported positions are not relayed", arguments: DatabaseKind.allCases)
    func relay(_ kind: DatabaseKind) async throws {
        let archive = try await Archive.make(kind)
        try archive.database.beginRelay()
        _ = try Self.run([try Self.file(Self.track, in: folder)], into: archive)
        try archive.store([(van + "location", try Payloads.location(1))])
        #expect(try archive.database.relayPage().records.count == 1)
    }

    @Test(
        "A wrong file is an error with its line and the reason",
        arguments: [
            ("", nil, "FILE: the file is empty"),
            ("hello\n", nil, "FILE: the format is not clear; give --format, one of gpx, owntracks, traccar-csv"),
            (
                "<gpx><trk><trkseg>\n<trkpt lat=\"1\" lon=\"2\"/>\n</trkseg></trk></gpx>", nil,
                "FILE:2: the track point has no time"
            ),
            (
                "<gpx>\n<trkpt lat=\"91\" lon=\"2\"><time>2026-01-05T08:00:00Z</time></trkpt></gpx>", nil,
                "FILE:2: the position is not on"
            ),
            (
                "<gpx>\n<trkpt lat=\"9\" lon=\"2\"><time>2036-01-05T08:00:00Z</time></trkpt></gpx>", nil,
                "FILE:2: the time 2036"
            ),
            ("<gpx>\n<trkpt>\n", nil, "FILE:3: no GPX, or a part of one"), ("<kml/>", nil, "FILE:1: no GPX"),
            ("<gpx></gpx>", nil, "FILE: no position in it, read as gpx"),
            (ownTracks + "x\n", nil, "FILE:4: not a time, a topic and a payload"),
            (ownTracks + "a\tb\t{\n", nil, "FILE:4: the payload is no JSON object"),
            (ownTracks + "a\tb\t{\"_type\":\"encrypted\"}\n", nil, "FILE:4: the payload is encrypted"),
            (ownTracks + "a\tb\t{\"_type\":\"location\",\"lat\":1}\n", nil, "FILE:4: the location has no lat or lon"),
            ("a,b\n", .traccarTable, "FILE:1: the head of the table needs fixTime"),
            (traccar + "4,7\n", nil, "FILE:5: 2 fields; the head has 15"),
            (traccar + "4,7,o,,,today,true,1,2,0,0,0,,0,\n", nil, "FILE:5: fixTime is no time"),
            (traccar + "4,7,o,,,2026-01-05 09:00:00,true,x,2,0,0,0,,0,\n", nil, "FILE:5: latitude or longitude"),
        ] as [(String, ImportFormat?, String)])
    func errors(text: String, format: ImportFormat?, expected: String) throws {
        let message = try Self.refusal(text, format: format)
        #expect(message.hasPrefix(expected), "\(message)")
    }

    @Test("A wrong line stores nothing, or is left out and counted")
    func wrongLines() throws {
        let archive = try Archive()
        let good = try Self.file(Self.track, in: folder)
        let wrong = try ImportedFile(
            try folder.write(Self.ownTracks + "x\n", to: "wrong.rec"), format: nil, zone: .utc, now: Self.now)
        #expect(throws: ImportFailure.self) { try Self.run([good, wrong], into: archive) }
        #expect(try archive.rows("SELECT count(*) FROM records") == [["0"]])
        let counts = try Self.run([wrong], into: archive, skipsUnreadable: true)
        #expect(counts == [ImportCounts(stored: 2, others: 1, unreadable: 1)])
    }

    @Test("A large file is stored completely, whatever the pieces are in which it is read")
    func large() throws {
        let archive = try Archive()
        var text = ""
        for second in 0..<5000 {
            text +=
                "t\t*\t{\"_type\":\"location\",\"lat\":40.\(second),\"lon\":-3.7,\"tst\":\(1_767_600_000 + second)}\n"
        }
        let file = try Self.file(text, in: folder)
        #expect(try Self.run([file], into: archive) == [ImportCounts(stored: 5000)])
        #expect(
            try archive.rows("SELECT count(*), count(DISTINCT seq), max(seq) < 9007199254740991 FROM records") == [
                ["5000", "5000", "1"]
            ])
    }

    @Test("The number grows with the time, and two places of a second have two")
    func numbers() throws {
        func position(_ milliseconds: Int64, _ latitude: Double) throws -> Int64 {
            try ImportedPosition(
                time: Timestamp(millisecondsSinceEpoch: milliseconds), latitude: latitude, longitude: 0, now: Self.now
            ).seq
        }
        #expect(try position(1_000_000, 1) == position(1_000_000, 1))
        #expect(try position(1_000_000, 1) != position(1_000_000, 1.000001))
        #expect(try position(1_000_000, 1) != position(1_000_001, 1))
        #expect(try position(1_000_999, 1) < position(1_001_000, 1))
    }
}
