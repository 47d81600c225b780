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
    @Test("Old entries of the log are removed, also if the recorder does not answer, in both databases")
    func logRetention() async throws {
        let archive = try Archive()
        let server = try await ServerArchive()
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
            configuration.recording, configuration.history,
            link: configuration.recording.historyLinkConfiguration(password: nil),
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
