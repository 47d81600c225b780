import Logging
import Odograph
import OdographCivilTime
import OdographHarness
import OdographPostgreSQL
import OdographSQLite
import OdographWire
import Testing

@testable import OdographRecorder

@Suite("The log of requests")
struct RequestTableTests {
    @Test("A database of the first version gets the table, in both databases")
    func migration() async throws {
        let archive = try Archive()
        try archive.store([Payloads.position(1, at: "2026-11-21T09:00:00Z")])
        let path = archive.folder.file("older.db")
        try Connection<HarnessError>(path: path).execute(
            """
            \(RecorderSchema.migrations[0])
            PRAGMA application_id = \(RecorderSchema.applicationID); PRAGMA user_version = 1;
            """)
        let entries = Archive.entries([try Payloads.position(1, at: "2026-11-21T09:00:00Z")])
        try SQLRecordDatabase(path: path).write(entries)
        #expect(try DatabaseFile(path).rows("PRAGMA user_version") == [["\(RecorderSchema.migrations.count)"]])
        #expect(try DatabaseFile(path).rows("SELECT count(*) FROM requests") == [["0"]])
        #expect(try DatabaseFile(path).rows("SELECT count(*) FROM records") == [["1"]])

        // A database of version 3 that has the newer tables already.
        let third = archive.folder.file("third.db")
        try Connection<HarnessError>(path: third).execute(
            """
            \(RecorderSchema.migrations[0..<3].joined(separator: "\n"))
            ALTER TABLE latest ADD COLUMN time TEXT NOT NULL DEFAULT '';
            CREATE TABLE erased_events (
                vehicle INTEGER NOT NULL REFERENCES vehicles (id), event_id TEXT NOT NULL,
                PRIMARY KEY (vehicle, event_id)) STRICT, WITHOUT ROWID;
            INSERT INTO vehicles (fleet, device, first_seen, last_seen) VALUES ('acme', 'van-7', 'a', 'b');
            INSERT INTO records (vehicle, epoch, seq, kind, time, clock_untrusted, mock, received, payload)
            VALUES (1, 7, 1, 'location', '2026-11-21T08:00:00.000Z', 0, 0, 'c', '{}');
            INSERT INTO latest (vehicle, kind, epoch, seq) VALUES (1, 'location', 7, 1);
            PRAGMA application_id = \(RecorderSchema.applicationID); PRAGMA user_version = 3;
            """)
        #expect(throws: DatabaseFailure.older(path: third, version: 3, known: RecorderSchema.migrations.count)) {
            try RecorderStatus(of: .file(path: third))
        }
        try SQLRecordDatabase(path: third).verify()
        #expect(try DatabaseFile(third).rows("SELECT seq, time FROM latest") == [["1", "2026-11-21T08:00:00.000Z"]])

        let server = try ServerArchive(try await PostgreSQLServer(), named: "older")
        let connection = try PostgreSQLConnection(name: "older", settings: server.address.settings)
        try connection.execute(
            """
            DROP SCHEMA odograph CASCADE; CREATE SCHEMA odograph; SET search_path = odograph;
            CREATE TABLE schema_version (version bigint NOT NULL); INSERT INTO schema_version (version) VALUES (1);
            \(PostgreSQLSchema.statements(RecorderSchema.migrations[0]))
            """)
        try server.reopen()
        try server.write(entries)
        #expect(try server.rows("SELECT version FROM schema_version") == [["\(RecorderSchema.migrations.count)"]])
        #expect(try server.rows("SELECT count(*) FROM requests") == [["0"]])
        #expect(try server.rows("SELECT count(*) FROM records") == [["1"]])
    }

    @Test("Old entries of the log are removed, also if the recorder does not answer, in both databases")
    func logRetention() async throws {
        let archive = try Archive()
        let server = try ServerArchive(try await PostgreSQLServer(), named: "log")
        let ann = try HistoryAddress(fleet: "acme", person: "ann")
        let request = HistoryRequest(
            .track(device: "van-7", times: instant("2026-11-01T00:00:00Z")..<instant("2026-11-02T00:00:00Z")))
        for (location, rows) in [
            (DatabaseLocation.file(path: archive.file.path), archive.rows), (.server(server.address), server.rows),
        ] {
            let table = try RequestTable(location)
            let keys = try ["2025-01-01T00:00:00Z", "2026-11-20T00:00:00Z"].map {
                try table.insert(ann, id: "q", request, .begun, received: instant($0))
            }
            #expect(Set(keys).count == 2)
            try table.end(keys[1], .failed(.unavailable), rows: 7)
            #expect(try table.remove(before: instant("2026-01-01T00:00:00Z")) == 1)
            #expect(
                try rows(
                    "SELECT time, person, kind, device, from_time, to_time, outcome, code, row_count FROM requests")
                    == [
                        [
                            "2026-11-20T00:00:00.000Z", "ann", "track", "van-7", "2026-11-01T00:00:00.000Z",
                            "2026-11-02T00:00:00.000Z", "failed", "unavailable", "7",
                        ]
                    ])
        }
        let table = try RequestTable(.file(path: archive.file.path))
        _ = try table.insert(ann, id: "old", request, .answered, received: instant("2020-01-01T00:00:00Z"))
        let folder = try TemporaryFolder()
        let configuration = try RecorderConfiguration.load(
            try folder.write(
                """
                { fleets: ["acme"], database: { path: "\(archive.file.path)" }, broker: { url: "mqtt://127.0.0.1" } }
                """, to: "recorder.json5"))
        let service = try HistoryService(
            configuration, link: configuration.historyLinkConfiguration(password: nil),
            logger: Logger(label: "test", factory: { _ in CapturedLog() })
        ) { () throws(DatabaseFailure) in throw .foreign(path: "unused") }
        let running = Task { await service.run() }
        let isGone = try await eventually {
            try archive.rows("SELECT * FROM requests WHERE request = 'old'").isEmpty ? true : nil
        }
        #expect(isGone == true)
        await service.stop()
        await running.value
    }
}
