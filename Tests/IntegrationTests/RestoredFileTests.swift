import OdographHarness
import OdographStore
import Testing

/// A database that somebody has put back, without the file of its numbers.
@Suite("A database that is older than its numbers")
struct RestoredFileTests {
    @Test("With receipts a given-up record names the gap before the first other record of the run")
    func named() async throws {
        let folder = try TemporaryFolder()
        let image = try TemporaryFolder()
        try folder.write(Capture.rounds(20), to: "drive.jsonl")
        // No broker listens on this port, so the records stay in the outbox.
        let configuration = AgentProcess.configuration(
            broker: try FreePort.next(), source: "{ replay: { file: \"drive.jsonl\", speed: 100 } }",
            tracking: """
                { delivery: "receipt", sampling: { minimum_interval: 0, distance: 1, maximum_interval: 1 } }
                """)
        func copyDatabase(from source: TemporaryFolder, to target: TemporaryFolder) async throws {
            for suffix in ["", "-wal"] {
                try await ChildProcess.run("cp", [source.file("agent.db\(suffix)"), target.file("agent.db\(suffix)")])
            }
        }
        var agent = try AgentProcess(folder: folder, configuration: configuration)
        try await agent.waitForDepth(20)
        try await agent.kill()
        try await copyDatabase(from: folder, to: image)
        agent = try AgentProcess(folder: folder, configuration: configuration)
        try await agent.waitForDepth(60)
        try await agent.kill()
        try await copyDatabase(from: image, to: folder)
        let file = DatabaseFile(folder.file("agent.db"))
        let before = try #require(Int(try file.rows("SELECT max(seq) FROM outbox")[0][0]))
        agent = try AgentProcess(folder: folder, configuration: configuration)
        try await agent.waitForDepth(before + 5)
        try await agent.kill()
        let next = try file.rows("SELECT seq, kind FROM outbox WHERE seq > \(before) ORDER BY seq LIMIT 2")
        #expect(next.map { $0[1] == "\(RecordKind.givenUp.rawValue)" } == [true, false], "\(next)")
        #expect(try #require(Int(next[0][0])) > before + 1)
    }
}
