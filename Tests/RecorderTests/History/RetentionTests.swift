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
    private static func service(_ path: String, _ log: CapturedLog, interval: Double = 3600) throws -> RetentionService
    {
        try RetentionService(
            path: path, days: 30, logger: Logger(label: "test", factory: { _ in log }), intervalSeconds: interval)
    }

    @Test("Records before the time are removed, undated ones by their reception, and what refers to them; numbers stay")
    func removal() async throws {
        let archive = try Archive()
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
        try await Self.service(archive.file.path, log).removeOld(before: instant("2026-07-01T00:00:00Z"))
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

    @Test("More records than one transaction removes are all removed, the oldest first")
    func batches() async throws {
        let archive = try Archive()
        try archive.store(
            try (1...1201).map { seq in
                let time = instant("2026-06-01T00:00:00Z").advanced(bySeconds: Double(seq))
                return try Payloads.position(Int64(seq), at: time.iso8601)
            })
        let remover = try OldRecordRemover(path: archive.file.path)
        let vehicle = try #require(try remover.vehicles().first)
        let time = instant("2026-06-01T00:20:00Z")
        #expect(try remover.removeRecords(of: vehicle, before: time) == OldRecordRemover.batchSize)
        #expect(try archive.rows("SELECT min(seq) FROM records") == [["501"]])
        try await Self.service(archive.file.path, CapturedLog()).removeOld(before: time)
        #expect(try archive.rows("SELECT seq FROM records ORDER BY seq") == [["1200"], ["1201"]])
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
        let service = try Self.service(path, log, interval: 0.02)
        let running = Task { await service.run() }
        #expect(try await eventually { log.lines.contains { $0.contains("cannot be removed") } ? true : nil } != nil)
        let database = try SQLRecordDatabase(path: path)
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
