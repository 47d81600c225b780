import OdographCivilTime
import OdographHarness
import OdographStore
import Testing
import OdographWire

@testable import Odograph

@Suite("Records older than the retention")
struct RetentionTests {
    @Test("Expired records are dropped within an hour with a ledger entry; the newest stays", .timeLimit(.minutes(5)))
    func givenUp() async throws {
        let folder = try TemporaryFolder()
        try folder.write(Capture.drive(seconds: 300), to: "drive.jsonl")
        let vehicle = try ClockedAgent(
            broker: try FreePort.next(), source: "{ replay: { file: \"drive.jsonl\", speed: \"max\" } }",
            tracking: "{ retention: 86400, sampling: { minimum_interval: 0, distance: 1 } }", in: folder)
        try await vehicle.agent.start()
        let isRecorded = try await eventually { await vehicle.agent.hasSourceEnded ? true : nil }
        #expect(isRecorded != nil)
        let count = try await vehicle.depth()
        #expect(count > 200)
        // After an hour no record is a day old. After a day and an hour every record is.
        vehicle.clock.advance(bySeconds: 3600)
        let store = try #require(await vehicle.agent.parts?.store)
        #expect(await store.ledger() == [])
        vehicle.clock.advance(bySeconds: 86_400)
        let ledger = try await eventually { () -> [LedgerEntry]? in
            let ledger = await store.ledger()
            return ledger.isEmpty ? nil : ledger
        }
        #expect(ledger?.allSatisfy { $0.reason == .retention } == true)
        let isDone = try await eventually { try await vehicle.depth() == 1 ? true : nil }
        #expect(isDone != nil)
        #expect(await store.ledger().map(\.count).reduce(0, +) == count - 1)
        await vehicle.agent.stop()
    }
}
