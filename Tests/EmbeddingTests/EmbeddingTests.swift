import Glibc
import Harness
import Logging
import Odograph
import Testing

/// The library as a program of somebody else's uses it: with `import Odograph` alone.
@Suite("An agent in another program")
struct EmbeddingTests {
    private func configuration(in folder: TemporaryFolder) throws -> String {
        let text = """
            { fleet: "acme", device: "van-7", broker: { url: "mqtt://127.0.0.1:\(try FreePort.next())" },
              source: { simulator: { parked: 0, speed: 20, rate: 5 } }, store: { path: "agent.db" },
              tracking: { sampling: { minimum_interval: 0, distance: 10 } } }
            """
        return try folder.write(text, to: "agent.json5")
    }

    @Test("The article's first program follows a vehicle", .timeLimit(.minutes(5)))
    func program() async throws {
        let folder = try TemporaryFolder()
        try await follow(configuration(in: folder), forMeters: 50)
        #expect(access(folder.file("agent.db"), F_OK) == 0)
    }

    @Test("Its copy of the timeline fills, and what it asks of the agent is answered", .timeLimit(.minutes(5)))
    func copy() async throws {
        let folder = try TemporaryFolder()
        let silent = Logger(label: "box") { _ in SwiftLogNoOpLogHandler() }
        let agent = Agent(configuration: try ConfigurationFile.load(configuration(in: folder)), logger: silent)
        try await agent.start()
        await ask(agent) { true }
        #expect(await agent.odometer.meters >= 120_345)
        try await timeline(of: agent) { events in !events.values.contains { $0.type == "IN_TRANSPORT" } }
        await agent.stop()
    }

    @Test("The code of the article and of the README is the code that is compiled here")
    func article() throws {
        let compiled = try Self.lines("Tests/EmbeddingTests/Embedding.swift")
        let blocks = try ["README.md", "Sources/Odograph/Odograph.docc/Embedding.md"].flatMap { path in
            try Self.codeBlocks(Self.lines(path)).map { (path, $0) }
        }
        #expect(blocks.count >= 5)
        for (path, block) in blocks {
            let isThere = compiled.indices.contains { compiled[$0...].starts(with: block) }
            #expect(isThere, "\(path): \(block.joined(separator: "\n"))")
        }
    }

    /// The Swift code of a text, without the lines that import.
    private static func codeBlocks(_ lines: [Substring]) -> [[Substring]] {
        var blocks: [[Substring]] = []
        var block: [Substring]?
        for line in lines {
            if line == "```swift" {
                block = []
            } else if line == "```" {
                if let block, !block.isEmpty { blocks.append(block) }
                block = nil
            } else if !line.hasPrefix("import "), !(block?.isEmpty ?? true && line.isEmpty) {
                block?.append(line)
            }
        }
        return blocks
    }

    private static func lines(_ path: String) throws -> [Substring] {
        try FileContents.text(Corpora.projectRoot + "/" + path)
            .split(separator: "\n", omittingEmptySubsequences: false)
    }
}
