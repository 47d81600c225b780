import FoundationEssentials
import Glibc
import OdographHarness
import Odograph
import OdographJSON
import Testing
import OdographWire

@Suite("An agent whose files were damaged after a kill")
struct LostLogTests {
    @Test("No number and no UUID is used twice, the damage is reported, and the ledger explains missing numbers")
    func lostLog() async throws {
        let broker = try await MosquittoBroker.durable()
        let subscriber = try await Subscriber(port: broker.port)
        let folder = try TemporaryFolder()
        try folder.write(Capture.drive(seconds: 40_000), to: "drive.jsonl")
        let configuration = AgentProcess.configuration(
            broker: broker.port, source: "{ replay: { file: \"drive.jsonl\", speed: 100 } }")
        var told = 0
        for _ in 0..<2 {
            let agent = try AgentProcess(folder: folder, configuration: configuration)
            let wanted = told + 60
            let count = try await eventually {
                let count = try subscriber.records().count
                return count >= wanted ? count : nil
            }
            told = try #require(count, "\(agent.child.errors)")
            try await agent.kill()
            unlink(folder.file("agent.db-wal"))
        }
        let last = try AgentProcess(folder: folder, configuration: configuration)
        let problem = try await eventually {
            try subscriber.statuses().flatMap { $0.problems ?? [] }.first { $0.code == .storeInconsistent }
        }
        #expect(problem != nil, "\(last.child.errors)")
        let more = told + 60
        let isComplete = try await eventually { try subscriber.hasAll(atLeast: more) ? true : nil }
        #expect(isComplete == true, "\(last.child.errors)")
        #expect(try await last.stop() == .exited(0))
        try Self.expectOneContentEach(subscriber)
    }

    /// Expects that each number and each UUID has one content.
    private static func expectOneContentEach(_ subscriber: Subscriber) throws {
        var byNumber: [[JSONValue]: [String: JSONValue]] = [:]
        var byUUID: [JSONValue: [String: JSONValue]] = [:]
        for record in try subscriber.records() {
            let number = [record.members["epoch"] ?? .null, record.members["seq"] ?? .null]
            let uuid = record.members["uuid"] ?? .null
            #expect(byNumber[number] ?? record.members == record.members)
            #expect(byUUID[uuid] ?? record.members == record.members)
            byNumber[number] = record.members
            byUUID[uuid] = record.members
        }
    }
}
