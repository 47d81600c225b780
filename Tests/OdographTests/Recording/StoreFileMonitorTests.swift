import OdographCivilTime
import Glibc
import OdographHarness
import OdographModel
import OdographStore
import Testing
import OdographThreads

@testable import Odograph

@Suite("The monitor of the store's file")
struct StoreFileMonitorTests {
    @Test("An idle agent notices a deleted file within a minute")
    func silent() async throws {
        let folder = try TemporaryFolder()
        let moment = try ScheduleFixture.moment("2026-11-20T12:00:00Z")
        let store = try await AgentStore.open(at: folder.file("agent.db"), now: moment.systemTime).store
        let fixture = try await PipelineFixture("{}", at: moment, store: store)
        let looks = Lock(0)
        await fixture.pipeline.observeStoreFile { _ in looks.withLock { $0 += 1 } }
        // The interval begins with the first check.
        await fixture.pipeline.checkStoreFile()
        let seen = looks.withLock { $0 }
        unlink(folder.file("agent.db"))
        fixture.clock.advance(bySeconds: 60)
        let isLooked = try await eventually { looks.withLock { $0 > seen ? true : nil } }
        #expect(isLooked != nil)
        #expect(fixture.problems.current.map(\.code) == [.storeFileLost])
        #expect(access(folder.file("agent.db"), F_OK) == 0)
        await fixture.pipeline.stop()
        try await store.close()
    }

    @Test("A loss that cannot be repaired at once is reported, and so is its repair")
    func madeGood() async throws {
        let (folder, away) = (try TemporaryFolder(), try TemporaryFolder())
        let moment = try ScheduleFixture.moment("2026-11-20T12:00:00Z")
        let store = try await AgentStore.open(at: folder.file("db/agent.db"), now: moment.systemTime).store
        let fixture = try await PipelineFixture("{}", at: moment, store: store)
        await fixture.pipeline.observeStoreFile { _ in }
        await fixture.pipeline.checkStoreFile()
        rename(folder.file("db"), away.file("db"))
        try folder.write("", to: "db")
        func text(with words: String) async throws -> String? {
            try await eventually {
                fixture.clock.advance(bySeconds: 20)
                return fixture.problems.current.first { $0.code == .storeFileLost && $0.text.contains(words) }?.text
            }
        }
        #expect(try await text(with: "it cannot be written again") != nil)
        unlink(folder.file("db"))
        #expect(try await text(with: "the agent wrote a complete new file") != nil)
        await fixture.pipeline.stop()
        try await store.close()
    }

    @Test(
        "An active agent checks the file every 5 s, and every 10 s while the file is lost",
        arguments: [(false, 5000, 50_000), (true, 10_000, 10_000)] as [(Bool, Int64, Int64)])
    func intervals(isLost: Bool, whileAwake: Int64, atLatest: Int64) {
        var watch = StoreFileMonitor()
        watch.place = isLost ? .lostFile : .file
        #expect(watch.isDue(uptimeMilliseconds: 0))
        watch.markChecked(uptimeMilliseconds: 1000)
        #expect(!watch.isDue(uptimeMilliseconds: 999 + whileAwake))
        #expect(watch.isDue(uptimeMilliseconds: 1000 + whileAwake))
        #expect(watch.due(uptimeMilliseconds: 2000) == 1000 + atLatest)
    }
}
