import Glibc
import Odograph
import OdographCivilTime
import OdographHarness
import OdographJSON
import OdographOperator
import OdographSQLite
import OdographWire
import Testing

@testable import OdographRecorder

@Suite("Erasure")
struct ErasureTests {
    /// A day with two drivers, and a vehicle of the same name in another fleet.
    static func archive(_ kind: DatabaseKind = .sqlite, on server: PostgreSQLServer? = nil) async throws -> Archive {
        let archive = try await Archive.make(kind, on: server)
        let other = try Payloads.position(1, at: "2026-11-21T07:30:00Z", latitude: 50)
        try archive.store([
            Payloads.event(1, "trip", from: "2026-11-21T07:00:00Z", to: "2026-11-21T08:00:00Z", meters: 1000),
            Payloads.event(2, "stop", from: "2026-11-21T08:00:00Z", to: "2026-11-21T09:00:00Z"),
            Payloads.event(3, "later", from: "2026-11-21T09:30:00Z", to: "2026-11-21T10:00:00Z", meters: 2000),
            Payloads.position(10, at: "2026-11-21T07:30:00Z", driver: .string("anna")),
            Payloads.position(11, at: "2026-11-21T09:45:00Z", driver: .string("ben"), geofence: "depot"),
            Payloads.position(12, at: "2026-11-21T09:50:00Z", driver: .string("ben")),
            Payloads.position(10, at: "2026-11-21T07:30:00Z", latitude: 44),
            (van + "location", Array("{\"x\":\"anna\"}".utf8)),
            (van + "status", Payloads.status(.online, connection: 1)),
            ("fleet/beta/van-7/location", other.payload),
        ])
        return archive
    }

    static func vehicle(_ archive: Archive) throws -> ArchivedVehicle {
        try archive.history().vehicle(named: "van-7", fleet: "acme")
    }

    static func erase(
        _ archive: Archive, _ subject: Erasure.Subject, from: String? = nil, to: String? = nil, isTrial: Bool = false
    ) throws -> [ErasedRows] {
        let erasure = Erasure(subject, from: from.map { instant($0) }, to: to.map { instant($0) })
        return try RecordEraser(archive.location).erase(erasure, isTrial: isTrial)
    }

    @Test(
        "Of a vehicle nothing stays but its name and the numbers, and its records do not come back",
        arguments: DatabaseKind.allCases)
    func vehicle(kind: DatabaseKind) async throws {
        let archive = try await Self.archive(kind)
        let runs = try archive.rows("SELECT * FROM runs ORDER BY vehicle, first")
        let erased = try Self.erase(archive, .vehicle(try Self.vehicle(archive)))
        #expect(
            erased.map(\.text) == [
                "acme/van-7: 3 positions, 3 revisions of 3 events, 1 conflicts, 1 rejected messages\n"
            ])
        #expect(try RecorderStatus(of: archive.location).erased == 6)
        for table in ["records", "latest", "timeline_events", "conflicts"] {
            let left = try archive.rows("SELECT DISTINCT fleet FROM \(table) JOIN vehicles ON vehicle = vehicles.id")
            #expect(left == [] || left == [["beta"]], "\(table)")
        }
        #expect(try archive.rows("SELECT count(*) FROM rejected") == [["0"]])
        #expect(try archive.rows("SELECT state, status FROM vehicles WHERE fleet = 'acme'") == [["NULL", "NULL"]])
        #expect(try archive.rows("SELECT * FROM runs ORDER BY vehicle, first") == runs)
        #expect(try archive.rows("SELECT * FROM open_gaps WHERE fleet = 'beta'") == [])
        #expect(
            try archive.rows("SELECT fleet, device, by_driver, from_time, positions, events FROM erasures")
                == [["acme", "van-7", "0", "NULL", "3", "3"]])
        // The vehicle sends an old record, one that was not received before, and a new one.
        try archive.store([
            Payloads.position(10, at: "2026-11-21T07:30:00Z"), Payloads.position(14, at: "2026-11-21T07:31:00Z"),
            Payloads.position(13, at: "2030-01-01T00:00:00Z"),
        ])
        #expect(
            try archive.rows("SELECT seq FROM records JOIN vehicles ON vehicle = vehicles.id WHERE fleet = 'acme'") == [
                ["13"]
            ])
        #expect(try archive.rows("SELECT count(*) FROM conflicts") == [["0"]])
    }

    @Test(
        "In a time, the positions of the time and the events that overlap it are erased, and the newest is found again",
        arguments: DatabaseKind.allCases)
    func time(kind: DatabaseKind) async throws {
        let archive = try await Self.archive(kind)
        let vehicle = try Self.vehicle(archive)
        _ = try Self.erase(archive, .vehicle(vehicle), from: "2026-11-21T09:48:00Z", to: "2026-11-21T12:00:00Z")
        let seqs = "SELECT seq FROM records WHERE vehicle = \(vehicle.key) ORDER BY seq"
        #expect(try archive.rows(seqs) == [["1"], ["2"], ["10"], ["11"]])
        #expect(
            try archive.rows("SELECT kind, seq FROM latest WHERE vehicle = \(vehicle.key) ORDER BY kind")
                == [["geofence", "11"], ["location", "10"], ["timeline", "2"]])
        #expect(
            try archive.rows("SELECT event_id FROM timeline_events WHERE vehicle = \(vehicle.key) ORDER BY start_date")
                == [["trip"], ["stop"]])
        #expect(try archive.rows("SELECT state FROM vehicles WHERE fleet = 'acme'") == [["online"]])
        #expect(try archive.rows("SELECT count(*) FROM conflicts") == [["1"]])
    }

    @Test(
        "Of a driver that programs have set, the events and positions are erased, also without the other",
        arguments: DatabaseKind.allCases)
    func driverOfEvents(kind: DatabaseKind) async throws {
        let archive = try await Archive.make(kind)
        var location = try Payloads.position(10, at: "2026-11-21T09:45:00Z")
        location.payload = Array(
            String(decoding: location.payload, as: UTF8.self)
                .replacing("\"epoch\"", with: "\"driver\":\"anna\",\"epoch\"").utf8)
        try archive.store([
            Payloads.event(
                1, "trip", from: "2026-11-21T07:00:00Z", to: "2026-11-21T08:00:00Z", meters: 1000, driver: "anna"),
            Payloads.event(
                2, "other", from: "2026-11-21T08:00:00Z", to: "2026-11-21T09:00:00Z", meters: 500, driver: "ben"),
            Payloads.event(3, "later", from: "2026-11-21T09:30:00Z", to: "2026-11-21T10:00:00Z", meters: 2000),
            location,
        ])
        #expect(
            try archive.rows("SELECT event_id, driver, idle_seconds FROM timeline WHERE driver = 'ben'")
                == [["other", "ben", kind == .sqlite ? "90.0" : "90"]])
        let times = instant("2026-11-21T00:00:00Z")..<instant("2026-11-22T00:00:00Z")
        let trips = try archive.history().trips(ofDriver: "anna", in: times)
        #expect(trips.map(\.event.eventID) == ["trip", "later"])
        let erased = try Self.erase(archive, .driver("anna"))
        #expect(erased.map(\.positions) == [1] && erased.map(\.events) == [2])
        #expect(try archive.rows("SELECT event_id FROM timeline_events") == [["other"]])
        if kind == .sqlite { #expect(Self.count(of: Array("anna".utf8), in: archive) == 0) }
    }

    @Test(
        "Of a driver, the positions and the events during them are erased, and the log does not name the driver",
        arguments: DatabaseKind.allCases)
    func driver(kind: DatabaseKind) async throws {
        let archive = try await Self.archive(kind)
        let erased = try Self.erase(archive, .driver("anna"))
        #expect(erased.map(\.positions) == [1] && erased.map(\.events) == [1] && erased.map(\.rejected) == [1])
        #expect(try archive.rows("SELECT event_id FROM timeline_events ORDER BY start_date") == [["stop"], ["later"]])
        #expect(try archive.rows("SELECT DISTINCT driver FROM records WHERE driver IS NOT NULL") == [["ben"]])
        #expect(try archive.rows("SELECT by_driver, positions FROM erasures") == [["1", "1"]])
        if kind == .sqlite { #expect(Self.count(of: Array("anna".utf8), in: archive) == 0) }
        #expect(try Self.erase(archive, .driver("carl")) == [])
    }

    @Test("A trial counts the rows and changes nothing", arguments: DatabaseKind.allCases)
    func trial(kind: DatabaseKind) async throws {
        let archive = try await Self.archive(kind)
        let before = try archive.contents()
        let rows = try Self.erase(archive, .driver("ben"), isTrial: true)
        #expect(rows.map(\.positions) == [2] && rows.map(\.events) == [1])
        #expect(try archive.contents() == before)
        #expect(try archive.rows("SELECT * FROM erasures") == [])
    }

    /// Returns how often bytes are in the files of a database.
    private static func count(of bytes: [UInt8], in archive: Archive) -> Int {
        ["", "-wal"].reduce(0) { sum, ending in
            let contents = (try? FileContents.bytes(archive.file.path + ending)) ?? []
            var count = 0
            contents.withUnsafeBytes { buffer in
                guard var start = buffer.baseAddress else { return }
                let end = start + buffer.count
                while end - start >= bytes.count, let found = memchr(start, Int32(bytes[0]), end - start) {
                    start = UnsafeRawPointer(found)
                    if end - start >= bytes.count, memcmp(start, bytes, bytes.count) == 0 { count += 1 }
                    start += 1
                }
            }
            return sum + count
        }
    }

    @Test("After an erasure no byte of a position is in the files, as text or as a number, and others stay")
    func bytes() throws {
        let archive = try Archive()
        var random = SplitMix64(seed: 5)
        var seqs = Array(Int64(1)...1500)
        seqs.shuffle(using: &random)
        // Two vehicles share the pages. Their records come in an order that splits pages.
        for chunk in stride(from: 0, to: seqs.count, by: 50) {
            try archive.store(
                seqs[chunk..<(chunk + 50)].flatMap { seq in
                    let start = instant("2026-11-21T00:00:00Z").advanced(bySeconds: Double(seq))
                    let position = try Payloads.position(seq, at: start.iso8601, latitude: 41.2468013)
                    let other = try Payloads.position(seq, at: start.iso8601, latitude: 52.1357924)
                    return [position, ("fleet/acme/van-8/location", other.payload)]
                })
        }
        func bits(_ value: Double) -> [UInt8] { withUnsafeBytes(of: value.bitPattern.bigEndian) { Array($0) } }
        let (erased, kept) = (Array("41.2468013".utf8), Array("52.1357924".utf8))
        #expect(Self.count(of: erased, in: archive) >= 1500 && Self.count(of: bits(41.2468013), in: archive) >= 1500)
        _ = try Self.erase(archive, .vehicle(try Self.vehicle(archive)))
        #expect(Self.count(of: erased, in: archive) == 0 && Self.count(of: bits(41.2468013), in: archive) == 0)
        #expect(Self.count(of: kept, in: archive) == 1500 && Self.count(of: bits(52.1357924), in: archive) == 1500)
        // The recorder that has the file open continues with it.
        try archive.store([Payloads.position(2000, at: "2030-01-01T00:00:00Z")])
        #expect(try archive.rows("SELECT count(*) FROM records") == [["1501"]])
        #expect(try archive.rows("PRAGMA integrity_check") == [["ok"]])
    }

    /// A program can delete without overwriting. Only a new file is without these bytes.
    @Test("After an erasure no byte is in the files of a position that was deleted before with SQL")
    func deletedBefore() throws {
        let archive = try Archive()
        try archive.store(
            try (1...300).map { try Payloads.position($0, at: "2026-11-21T09:00:00Z", latitude: 41.2468013) })
        let connection = try Connection<HarnessError>(path: archive.file.path)
        try connection.execute(
            "PRAGMA secure_delete = OFF; DELETE FROM records; PRAGMA wal_checkpoint(TRUNCATE)")
        let bytes = Array("41.2468013".utf8)
        #expect(Self.count(of: bytes, in: archive) > 0)
        _ = try Self.erase(archive, .vehicle(try Self.vehicle(archive)))
        #expect(Self.count(of: bytes, in: archive) == 0)
    }

    @Test("A reader that holds a transaction is named as the reason why bytes can still be in the file")
    func locked() async throws {
        let archive = try await Self.archive()
        let vehicle = try Self.vehicle(archive)
        let eraser = try RecordEraser(archive.location, lockSeconds: 0.05)
        let reader = try SQLiteSchema.openForReading(archive.file.path)
        try reader.execute("BEGIN")
        #expect(try reader.firstInteger("SELECT count(*) FROM records") == 7)
        let erasure = Erasure(.vehicle(vehicle), from: nil, to: nil)
        #expect(throws: DatabaseFailure.locked(path: archive.file.path)) { try eraser.erase(erasure) }
        try reader.execute("COMMIT")
        #expect(try eraser.erase(erasure).map(\.positions) == [0])
        #expect(Self.count(of: Array("depot".utf8), in: archive) == 0)
    }

    // MARK: - The broker

    /// Starts a broker that retains messages of all channels of two vehicles.
    private static func broker() async throws -> MosquittoBroker {
        let broker = try await MosquittoBroker()
        let desk = BrokerOperator(port: broker.port)
        for device in ["van-7", "van-8"] {
            for channel in ["location", "timeline", "status", "reported"] {
                try await desk.publish("{}", to: "fleet/acme/\(device)/\(channel)")
            }
        }
        try await desk.publish("{}", to: "end")
        return broker
    }

    private static func configuration(_ broker: MosquittoBroker) throws -> String {
        try broker.folder.write(
            """
            { fleets: ["acme"], database: { path: "recorder.db" },
              broker: { url: "mqtt://127.0.0.1:\(broker.port)", client_id: "recorder-test" } }
            """, to: "recorder.json5")
    }

    /// Returns the channels of a vehicle for which the broker retains a message. It sends the messages of the first
    /// filter first, so the message of the second one says that there are no more.
    private static func retained(_ broker: MosquittoBroker, _ device: String, count: Int) async throws -> Set<String> {
        let ran = try await ChildProcess.run(
            "mosquitto_sub",
            ["-p", "\(broker.port)", "-t", "fleet/acme/\(device)/+", "-t", "end", "-F", "%t", "-C", "\(count + 1)"])
        let topics = ran.output.split(separator: "\n").map(String.init)
        try #require(topics.last == "end", "\(topics)")
        return Set(topics.dropLast().compactMap { $0.split(separator: "/").last.map(String.init) })
    }

    @Test("With a broker, the retained messages of the vehicle are deleted, and those of others stay")
    func retained() async throws {
        let archive = try await Self.archive()
        let broker = try await Self.broker()
        let eraser = RetainedMessageEraser(try RecorderConfiguration.load(try Self.configuration(broker)).recording)
        let vehicle = try Self.vehicle(archive)
        #expect(
            try await eraser.erase(vehicle, isWhole: false, hasReport: false) == [
                "fleet/acme/van-7/location", "fleet/acme/van-7/timeline",
            ])
        #expect(try await Self.retained(broker, "van-7", count: 2) == ["status", "reported"])
        #expect(try await eraser.erase(vehicle, isWhole: true, hasReport: false).count == 5)
        #expect(try await Self.retained(broker, "van-7", count: 0) == [])
        #expect(try await Self.retained(broker, "van-8", count: 4).count == 4)
    }

    @Test("A broker that does not let the login write is an error that names the topic", arguments: ["5", "3.1.1"])
    func refused(version: String) async throws {
        let archive = try await Self.archive()
        let folder = try TemporaryFolder()
        try folder.write("topic read fleet/#\nuser desk\ntopic readwrite fleet/#\n", to: "rules")
        let broker = try await MosquittoBroker(configuration: "acl_file \(folder.file("rules"))", folder: folder)
        let ran = try await ChildProcess.run(
            "mosquitto_pub", ["-p", "\(broker.port)", "-u", "desk", "-r", "-t", van + "location", "-m", "{}"])
        #expect(ran.ending == .exited(0))
        let path = try folder.write(
            """
            { fleets: ["acme"],
              broker: { url: "mqtt://127.0.0.1:\(broker.port)", client_id: "recorder-test", protocol: "\(version)" } }
            """, to: "recorder.json5")
        let eraser = RetainedMessageEraser(try RecorderConfiguration.load(path).recording)
        do {
            _ = try await eraser.erase(try Self.vehicle(archive), isWhole: false, hasReport: false)
            Issue.record("no error")
        } catch let error as ExitError {
            #expect(error.code == .noPermission, "\(error)")
        }
    }

    @Test("An erasure of a backup does not wait for a program that reads the file: it has a write-ahead log")
    func backup() async throws {
        let archive = try await Self.archive()
        let copy = archive.folder.file("copy.db")
        try RecorderBackup.make(of: archive.location, at: copy)
        #expect(try DatabaseFile(copy).rows("PRAGMA journal_mode") == [["delete"]])
        let erased = try RecordEraser(.file(path: copy)).erase(Erasure(.driver("ben"), from: nil, to: nil))
        #expect(erased.map(\.positions) == [2])
        #expect(try DatabaseFile(copy).rows("PRAGMA journal_mode") == [["wal"]])
    }

    // MARK: - The command

    @Test("The command erases, and refuses wrong use with its correction", arguments: DatabaseKind.allCases)
    func command(kind: DatabaseKind) async throws {
        let archive = try await Self.archive(kind)
        func run(_ arguments: String...) async throws -> (ending: ChildProcess.Ending, output: String, errors: String) {
            try await ChildProcess.run(
                BuiltProgram.path("odograph-recorder"),
                ["erase", "--database", archive.location.description] + arguments)
        }
        #expect(try await run("--help").output.contains("--dry-run"))
        for (arguments, sentence) in [
            (["--device", "van-7", "--driver", "x"], "--device or --driver"), ([], "--device or --driver"),
            (["--driver", "x", "--config", "y"], "--database or --config"), (["--driver", ""], "empty"),
            (["--driver", "x", "--fleet", "acme"], "--fleet"), (["--device", "van-7"], "give --fleet"),
        ] {
            let ran = try await ChildProcess.run(
                BuiltProgram.path("odograph-recorder"),
                ["erase", "--database", archive.location.description] + arguments)
            #expect(ran.ending == .exited(64) && ran.errors.contains(sentence), "\(arguments) \(ran.errors)")
        }
        #expect(try await run("--driver", "ben", "--dry-run").output.contains("2 positions"))
        #expect(try await run("--driver", "ben").output.contains("2 positions"))
        let none = try await run("--driver", "ben")
        #expect(none.ending == .exited(0) && none.errors.contains("no records of the driver"))
        let missing = try await ChildProcess.run(
            BuiltProgram.path("odograph-recorder"), ["erase", "--database", "/nonexistent/r.db", "--driver", "x"])
        #expect(missing.ending == .exited(66))
    }
}
