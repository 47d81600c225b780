import Glibc
import Odograph
import OdographHarness
import OdographOperator
import OdographWire
import Testing

@Suite("Delivery with receipts over a broker that forgets")
struct ReceiptTests {
    private static let tracking =
        "{ sampling: { minimum_interval: 0, distance: 1, maximum_interval: 1 }, delivery: \"receipt\", delivery_keep: 0 }"

    @Test("After crashes of a broker without persistence, a recorder has each number or a record that names it")
    func crashes() async throws {
        let broker = try await MosquittoBroker()
        let agent = try AgentProcess.replaying(
            Capture.drive(seconds: 300), speed: 20, to: broker, tracking: Self.tracking)
        // Nobody receives these records. The broker acknowledges and forgets them.
        try await agent.waitForDepth(30)
        try await broker.stop(SIGKILL)
        try await broker.start()
        var recorder = try await ReceiptRecorder(port: broker.port)
        _ = try await eventually { agent.child.errors.contains("has ended") ? true : nil }
        try await broker.stop(SIGKILL)
        try await broker.start()
        var newest: Int64 = 0
        for _ in 0..<600 where newest == 0 || !recorder.hasAll(through: newest) {
            try await Task.sleep(for: .milliseconds(200))
            try await recorder.update()
            newest = await Self.newestSeq(agent) ?? 0
        }
        #expect(
            newest > 200 && recorder.hasAll(through: newest), "\(newest): \(recorder.covered) \(agent.child.errors)")
        let isEmpty = try await eventually { await agent.depth() == 0 ? true : nil }
        #expect(isEmpty != nil, "the agent waits for receipts: \(agent.child.errors)")
        #expect(
            recorder.subscriber.messages.contains {
                $0.topic.hasSuffix("/reported") && $0.payload.contains("\"receipts\"")
            })
        _ = try await agent.stop()
    }

    /// Returns the number of the agent's newest record; nil if it does not answer.
    private static func newestSeq(_ agent: AgentProcess) async -> Int64? {
        let local = LocalAgent(configuration: nil, socketPath: agent.folder.file("control.sock"))
        guard case .running(let status, _)? = try? await local.status() else { return nil }
        return status.store.seq
    }
}
