import Logging
import Odograph
import OdographCivilTime
import OdographHarness
import OdographJSON
import OdographWire
import Testing

@testable import OdographRecorder

@Suite("Retention")
struct RetentionTests {
    private static func service(
        _ database: DatabaseLocation, _ log: CapturedLog, interval: Double = 3600
    ) throws -> RetentionService {
        try RetentionService(
            database, days: 30, logger: Logger(label: "test", factory: { _ in log }), intervalSeconds: interval)
    }

    @Test(
        "A record with a date from a wrong clock in the future is removed by its reception",
        arguments: DatabaseKind.allCases)
    func future(kind: DatabaseKind) async throws {
        let archive = try await Archive.make(kind)
        let messages = try [
            Payloads.position(1, at: "9999-12-31T23:59:59Z"),
            Payloads.event(2, "far", from: "9998-01-01T00:00:00Z", to: "9999-01-01T00:00:00Z"),
            Payloads.position(3, at: "2026-07-01T00:00:00Z"),
        ]
        try archive.store(messages)
        let reception = instant("2026-09-21T14:13:20Z")
        let service = try Self.service(archive.location, CapturedLog())
        await service.removeOld(before: reception)
        #expect(try archive.rows("SELECT seq FROM records ORDER BY seq") == [["1"], ["2"]])
        await service.removeOld(before: reception.advanced(bySeconds: 1))
        #expect(try archive.rows("SELECT seq FROM records") == [])
        #expect(try archive.rows("SELECT event_id FROM timeline_events") == [])
    }

    @Test(
        "Records before the time are removed, undated ones by their reception, and what refers to them; numbers stay",
        arguments: DatabaseKind.allCases)
    func removal(kind: DatabaseKind) async throws {
        let archive = try await Archive.make(kind)
        try archive.store([
            Payloads.event(1, "old", from: "2026-06-01T07:00:00Z", to: "2026-06-01T08:00:00Z", meters: 1000),
            Payloads.event(2, "across", from: "2026-06-30T07:00:00Z", to: "2026-07-02T08:00:00Z"),
            Payloads.position(3, at: "2026-06-30T23:59:59.999Z"),
            Payloads.position(4, at: "2026-07-01T00:00:00Z"),
            Payloads.position(5, at: "2026-06-01T00:00:00Z", isUndated: true),
            Payloads.position(6, at: "2026-06-01T00:00:00Z", geofence: "depot"),
            ("fleet/acme/van-8/location", Payloads.position(1, at: "2026-06-01T00:00:00Z").payload),
        ])
        let runs = try archive.rows("SELECT * FROM runs")
        let log = CapturedLog()
        try await Self.service(archive.location, log).removeOld(before: instant("2026-07-01T00:00:00Z"))
        #expect(
            try archive.rows("SELECT device, seq FROM records JOIN vehicles ON vehicle = vehicles.id ORDER BY seq")
                == [["van-7", "2"], ["van-7", "4"], ["van-7", "5"]])
        #expect(try archive.rows("SELECT event_id FROM timeline_events") == [["across"]])
        #expect(
            try archive.rows("SELECT device, kind, seq FROM latest JOIN vehicles ON vehicle = vehicles.id ORDER BY seq")
                == [["van-7", "timeline", "2"], ["van-7", "location", "5"]])
        #expect(try archive.rows("SELECT * FROM runs") == runs)
        #expect(log.lines == ["removed 4 records before 2026-07-01T00:00:00.000Z"])
        // The vehicle sends a removed record again.
        try archive.store([Payloads.position(3, at: "2026-06-30T23:59:59.999Z")])
        #expect(try archive.rows("SELECT count(*) FROM records") == [["3"]])
    }

    @Test(
        "More records than one transaction removes are all removed, the oldest first",
        arguments: DatabaseKind.allCases)
    func batches(kind: DatabaseKind) async throws {
        let archive = try await Archive.make(kind)
        try archive.store(
            try (1...1201).map { seq in
                let time = instant("2026-06-01T00:00:00Z").advanced(bySeconds: Double(seq))
                return try Payloads.position(Int64(seq), at: time.iso8601)
            })
        let remover = try OldRecordRemover(archive.location)
        let vehicle = try #require(try remover.vehicles().first)
        let time = instant("2026-06-01T00:20:00Z")
        #expect(try remover.removeRecords(of: vehicle, before: time) == OldRecordRemover.batchSize)
        #expect(try archive.rows("SELECT min(seq) FROM records") == [["501"]])
        try await Self.service(archive.location, CapturedLog()).removeOld(before: time)
        #expect(try archive.rows("SELECT seq FROM records ORDER BY seq") == [["1200"], ["1201"]])
    }

    @Test("No place of the removed time stays in conflicts or rejected messages", arguments: DatabaseKind.allCases)
    func places(kind: DatabaseKind) async throws {
        let archive = try await Archive.make(
            kind,
            [
                Payloads.position(1, at: "2026-09-20T00:00:00Z"), Payloads.position(2, at: "2026-09-20T00:00:00Z"),
                Payloads.event(3, "a", from: "2026-09-20T00:00:00Z", to: "2026-09-20T01:00:00Z"),
                // Conflicts, of which the first and the third are old.
                Payloads.position(1, at: "2026-06-20T00:00:00Z"), Payloads.position(2, at: "2026-09-21T00:00:00Z"),
                Payloads.event(3, "b", from: "2026-06-20T00:00:00Z", to: "2026-06-20T01:00:00Z"),
                (van + "location", Array("{\"latitude\":40}".utf8)),
            ])
        try await Self.service(archive.location, CapturedLog()).removeOld(before: instant("2026-07-01T00:00:00Z"))
        #expect(try archive.rows("SELECT seq FROM conflicts") == [["2"]])
        // All were received on 21 September.
        #expect(try archive.rows("SELECT count(*) FROM rejected") == [["1"]])
        try await Self.service(archive.location, CapturedLog()).removeOld(before: instant("2026-09-22T00:00:00Z"))
        for table in ["records", "timeline_events", "latest", "conflicts", "rejected"] {
            #expect(try archive.rows("SELECT count(*) FROM \(table)") == [["0"]], "\(table)")
        }
    }

    @Test("In PostgreSQL, old months are dropped as a whole, and undated records that were received later stay")
    func partitions() async throws {
        let archive = try await Archive.make(
            .postgreSQL,
            [
                Payloads.position(1, at: "2026-04-30T00:00:00Z"), Payloads.position(2, at: "2026-05-01T00:00:00Z"),
                Payloads.position(3, at: "2026-05-31T23:59:59.999Z", isUndated: true),
                Payloads.position(4, at: "2026-06-15T00:00:00Z"), Payloads.position(5, at: "1999-06-15T00:00:00Z"),
            ])
        let query = "SELECT tableoid::regclass, seq FROM records ORDER BY seq"
        // A backup reads the table: single records are removed.
        let reader = try archive.location.openForReading()
        #expect(try reader.firstInteger("SELECT count(*) FROM records") == 5)
        try await Self.service(archive.location, CapturedLog()).removeOld(before: instant("2026-05-01T00:00:00Z"))
        #expect(
            try archive.rows(query) == [
                ["records_2026_05", "2"], ["records_2026_05", "3"], ["records_2026_06", "4"],
            ])
        reader.rollBack()
        try await Self.service(archive.location, CapturedLog()).removeOld(before: instant("2026-06-01T00:00:00Z"))
        #expect(try archive.rows(query) == [["records_other", "3"], ["records_2026_06", "4"]])
        let tables = "SELECT tablename FROM pg_tables WHERE tablename ~ '^(records|removed)_' ORDER BY tablename"
        #expect(try archive.rows(tables) == [["records_2026_06"], ["records_other"]])
        // The recorder goes on, also with the dropped month, and an interrupted removal ends with the next one.
        try archive.store([Payloads.position(6, at: "2026-05-31T12:00:00Z")])
        try archive.database.records.connection.execute(
            """
            ALTER TABLE records DETACH PARTITION records_2026_06;
            ALTER TABLE records_2026_06 RENAME TO removed_2026_06
            """)
        try ServerPartitionRemover(archive.database.records.connection).finishIfPossible()
        #expect(
            try archive.rows(query) == [["records_other", "3"], ["records_other", "4"], ["records_other", "6"]])
    }

    @Test(
        "A month is old when its last moment is",
        arguments: [
            ("records_2026_05", "2026-06-01T00:00:00Z", true), ("records_2026_05", "2026-05-31T23:59:59.999Z", false),
            ("records_2025_12", "2026-01-01T00:00:00Z", true), ("records_other", "2026-01-01T00:00:00Z", false),
        ])
    func oldMonths(partition: String, time: String, isOld: Bool) {
        #expect(ServerPartitionRemover.isOld(partition, before: instant(time)) == isOld)
    }

    @Test("The search for old records uses an index")
    func plan() throws {
        let archive = try Archive()
        let plan = try archive.rows("EXPLAIN QUERY PLAN " + OldRecordRemover.removal).map { $0[3] }
        #expect(plan.contains { $0.contains("records_by_time (vehicle=? AND time<?)") }, "\(plan)")
        #expect(!plan.contains { $0.hasPrefix("SCAN") }, "\(plan)")
    }

    @Test("The service removes again and again until it is cancelled, and an error does not end it")
    func service() async throws {
        let folder = try TemporaryFolder()
        let log = CapturedLog()
        let path = folder.file("recorder.db")
        let service = try Self.service(.file(path: path), log, interval: 0.02)
        let running = Task { await service.run() }
        #expect(try await eventually { log.lines.contains { $0.contains("cannot be removed") } ? true : nil } != nil)
        let database = try RecordDatabase(path: path)
        let message = try Payloads.position(1, at: "2020-01-01T00:00:00Z")
        let reader = MessageReader(root: "fleet")
        try database.write([
            BatchEntry(.message(try reader.read(topic: message.topic, payload: message.payload)), received: .now)
        ])
        let isRemoved = try await eventually {
            try DatabaseFile(path).rows("SELECT count(*) FROM records") == [["0"]] ? true : nil
        }
        #expect(isRemoved != nil, "\(log.lines)")
        running.cancel()
        await running.value
    }
}
