import Harness
import Logging
import Store
import Testing

@testable import Odograph

/// What is left of an agent that has stopped, where the program that held it goes on.
@Suite("An agent that has stopped")
struct StoppedAgentTests {
    @Test("Its store, its recorder and what speaks to the broker are released", .timeLimit(.minutes(5)))
    func released() async throws {
        let folder = try TemporaryFolder()
        let agent = try Self.agent(in: folder)
        try await agent.start()
        let remains = Remains(try #require(await agent.parts))
        #expect(remains.names == ["recorder", "remote", "reporter", "store"])
        await agent.stop()
        // A thread that has just ended lets go of what it held in its own time.
        _ = try await eventually(within: 60) { remains.names.isEmpty ? true : nil }
        #expect(remains.names == [])
    }

    @Test(
        "Whatever is called while it starts or stops comes after that", .timeLimit(.minutes(5)),
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
        // Both have waited for the end: the database is free.
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

/// The parts of an agent, for as long as somebody else holds them.
private struct Remains: Sendable {
    private weak let store: AgentStore?
    private weak let recorder: Recorder?
    private weak let remote: RemoteConfiguration?
    private weak let reporter: ReportPublisher?

    init(_ parts: AgentParts) {
        store = parts.store
        recorder = parts.recorder
        remote = parts.remote
        reporter = parts.reporter
    }

    var names: [String] {
        [
            recorder.map { _ in "recorder" }, remote.map { _ in "remote" }, reporter.map { _ in "reporter" },
            store.map { _ in "store" },
        ].compactMap { $0 }
    }
}
