import OdographHarness
import OdographStore
import Testing

@testable import Odograph

@Suite("An agent that ends before its records can be stored")
struct UnsavedRecordsTests {
    /// A random text, which no compression makes short, so that a few records fill the log.
    private static let padding: String = {
        var random = SplitMix64(seed: 7)
        return (0..<2000).map { _ in String(UInt64.random(in: .min ... .max, using: &random), radix: 16) }.joined()
    }()

    private static let tracking =
        "{ sampling: { minimum_interval: 0, distance: 1, maximum_interval: 1 }, extras: { padding: \"\(padding)\" } }"

    @Test(
        "What a full disk does not take is reported, and its numbers are in the ledger of the next start",
        .enabled(if: SmallFileSystem.isPossible, "mounting a small file system needs root"), .timeLimit(.minutes(5)))
    func fullDisk() async throws {
        let disk = try SmallFileSystem(bytes: 4 << 20)
        // Without a broker, so that no deleted record makes room.
        let vehicle = try ClockedAgent(broker: try FreePort.next(), tracking: Self.tracking, in: disk.folder)
        try await vehicle.agent.start()
        let isStored = try await eventually { () -> Bool? in
            vehicle.clock.advance(bySeconds: 1)
            return try await vehicle.depth() > 3 ? true : nil
        }
        #expect(isStored != nil)
        disk.fill()
        #expect(try await vehicle.problem(.storeFailed, advancing: 1) != nil)
        let stored = try #require(try await vehicle.agent.parts?.store.statistics())
        await vehicle.agent.stop()
        let loss = try #require(await vehicle.agent.loss)
        #expect(loss.contains("are lost"), "\(loss)")
        disk.release()
        let store = try await AgentStore.open(at: disk.folder.file("agent.db"), now: .now).store
        let entry = try #require(await store.ledger().last)
        #expect(entry.reason == .possiblyLost && entry.epoch == stored.epoch && entry.fromSeq > stored.newestSeq)
        try await store.close()
    }

    @Test("Records in memory that end with it are reported, and nothing is if all is stored", .timeLimit(.minutes(5)))
    func memory() async throws {
        let folder = try TemporaryFolder()
        try folder.write("", to: "file")
        let vehicle = try ClockedAgent(
            broker: try FreePort.next(), store: "file/agent.db", control: "file/control.sock", in: folder)
        try await vehicle.agent.start()
        let isWaiting = try await eventually { () -> Bool? in
            vehicle.clock.advance(bySeconds: 1)
            return try await vehicle.depth() > 0 ? true : nil
        }
        #expect(isWaiting != nil)
        await vehicle.agent.stop()
        #expect(await vehicle.agent.loss != nil)
        let whole = try ClockedAgent(broker: try FreePort.next())
        try await whole.agent.start()
        await whole.agent.stop()
        #expect(await whole.agent.loss == nil)
    }
}
