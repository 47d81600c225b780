import Harness
import Testing
import Wire

@Suite("Two vehicles of one name")
struct NamesakeTests {
    @Test("Say so in their status, where the broker does not say why it closes the connection")
    func fight() async throws {
        let broker = try await MosquittoBroker()
        let subscriber = try await Subscriber(port: broker.port)
        let configuration = AgentProcess.configuration(broker: broker.port, source: "{ simulator: {} }")
        let first = try AgentProcess(folder: TemporaryFolder(), configuration: configuration)
        let second = try AgentProcess(folder: TemporaryFolder(), configuration: configuration)
        let told = try await eventually {
            try subscriber.statuses().last { $0.state == .online }?.problems?
                .first { $0.code == "connection_unstable" }
        }
        #expect(
            told?.text.contains("another client with the same client id") == true,
            "\(first.child.errors)\(second.child.errors)")
        #expect(try await second.stop() == .exited(0))
        #expect(try await first.stop() == .exited(0))
    }
}
