import OdographHarness
import OdographStore
import Testing

@testable import Odograph

@Suite("An agent that stops at the end of a replay")
struct DeliveryTests {
    @Test("The agent waits until the broker has every record", .timeLimit(.minutes(5)))
    func delivered() async throws {
        let broker = try await MosquittoBroker()
        try await broker.stop()
        let folder = try TemporaryFolder()
        try folder.write(Capture.drive(seconds: 100), to: "drive.jsonl")
        let vehicle = try ClockedAgent(
            broker: broker.port, source: "{ replay: { file: \"drive.jsonl\", speed: \"max\" } }",
            tracking: "{ sampling: { minimum_interval: 0, distance: 1 } }", in: folder, stopsAtEnd: true)
        async let end: Void = vehicle.agent.run()
        // The broker starts only after the whole drive is in the outbox.
        #expect(try await vehicle.problem(.brokerUnreachable) != nil)
        let isAtEnd = try await eventually { await vehicle.agent.hasSourceEnded ? true : nil }
        #expect(isAtEnd != nil)
        try await broker.start()
        try await end
        #expect(await vehicle.agent.hasDelivered)
        let store = try await AgentStore.open(at: folder.file("agent.db"), now: .now).store
        #expect(try await store.statistics().depth == 0)
        try await store.close()
    }
}
