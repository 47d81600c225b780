import OdographHarness
import Logging
import OdographStore
import Testing

@testable import Odograph

/// Checks of a stopped agent within a program that continues.
@Suite("An agent that has stopped")
struct StoppedAgentTests {
    @Test("A stopped agent releases its store, its pipeline and its broker clients", .timeLimit(.minutes(5)))
    func released() async throws {
        let folder = try TemporaryFolder()
        let agent = try Self.agent(in: folder)
        try await agent.start()
        let remains = Remains(try #require(await agent.parts))
        #expect(remains.names == ["pipeline", "remote", "reporter", "store"])
        await agent.stop()
        // A thread that has just ended releases its objects a little later.
        _ = try await eventually { remains.names.isEmpty ? true : nil }
        #expect(remains.names == [])
    }

    @Test(
        "Calls made during a start or a stop take effect after it", .timeLimit(.minutes(5)),
        arguments: 1...8 as ClosedRange<UInt64>)
    func turns(seed: UInt64) async throws {
        let folder = try TemporaryFolder()
        let agent = try Self.agent(in: folder)
        var random = SplitMix64(seed: seed)
        try await withThrowingTaskGroup { group in
            for _ in 0..<6 {
                let starts = Bool.random(using: &random)
                group.addTask { if starts { try await agent.start() } else { await agent.stop() } }
            }
            try await group.waitForAll()
        }
        try await agent.start()
        #expect(await agent.parts != nil)
        async let first: Void = agent.stop()
        async let second: Void = agent.stop()
        _ = await (first, second)
        // Both calls waited for the end, so the database is free.
        let store = try await AgentStore.open(at: folder.file("agent.db"), now: .now).store
        try await store.close()
    }

    private static func agent(in folder: TemporaryFolder) throws -> Agent {
        let text = """
            { fleet: "acme", device: "van-7", broker: { url: "mqtt://127.0.0.1:\(try FreePort.next())" },
              source: { simulator: {} }, store: { path: "agent.db" } }
            """
        return Agent(
            configuration: try ConfigurationFile.parse(text, folder: folder.path),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }
}

/// Weak references to the parts of an agent.
private struct Remains: Sendable {
    private weak let store: AgentStore?
    private weak let pipeline: InputPipeline?
    private weak let remote: RemoteConfiguration?
    private weak let reporter: ReportPublisher?

    init(_ parts: AgentParts) {
        store = parts.store
        pipeline = parts.pipeline
        remote = parts.remote
        reporter = parts.reporter
    }

    var names: [String] {
        [
            pipeline.map { _ in "pipeline" }, remote.map { _ in "remote" }, reporter.map { _ in "reporter" },
            store.map { _ in "store" },
        ].compactMap { $0 }
    }
}
