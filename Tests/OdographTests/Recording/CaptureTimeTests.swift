import OdographHarness
import OdographStore
import OdographThreads
import Testing

@testable import Odograph

@Suite("The capture time of records")
struct CaptureTimeTests {
    @Test("A record that waits for its commit keeps the time of its capture")
    func interval() async throws {
        let commits = Lock<[(records: [StoredRecord], captured: [RecordKind: Int64])]>([])
        let run = try await PipelineFixture(
            "{ commit_interval: 60, sampling: { minimum_interval: 300, maximum_interval: 300 } }",
            at: try ScheduleFixture.moment("2026-11-20T08:00:00Z")
        ) { records, captured in commits.withLock { $0.append((records, captured)) } }
        try await run.drive(seconds: 70, from: 0, at: "2026-11-20T08:00:00Z")
        let commit = try #require(
            commits.withLock { $0 }.first { $0.records.contains { $0.kind == .location } })
        let newest = try #require(commit.records.last { $0.kind == .location })
        let captured = try #require(commit.captured[.location])
        // Both clocks of the fixture show the same time.
        #expect(captured == newest.timestamp.millisecondsSinceEpoch)
        #expect(run.clock.now().uptimeMilliseconds - captured > 30_000)
        await run.pipeline.stop()
    }
}
