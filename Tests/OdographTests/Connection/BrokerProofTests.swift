import Logging
import OdographHarness
import OdographLink
import OdographPositioning
import OdographWire
import Testing

@testable import Odograph

@Suite("The proof of another broker")
struct BrokerProofTests {
    private static let topic = "fleet/acme/van-7/config"

    /// Proves a broker that must have a document with this text.
    private func proof(
        _ port: UInt16, text: String, seconds: Double = 60, change: (inout LinkConfiguration) -> Void = { _ in }
    ) -> BrokerProof {
        var link = LinkConfiguration(host: "127.0.0.1", port: port, transport: .plain, clientID: "proof")
        link.backoffMinimumSeconds = 0.05
        link.backoffMaximumSeconds = 0.1
        change(&link)
        return BrokerProof(
            link: link, topics: [Self.topic: .device], isConfirmed: { $0[.device] == Array(text.utf8) },
            clock: SystemAgentClock(), logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            longestMilliseconds: Int64(seconds * 1000), settlingMilliseconds: 100)
    }

    @Test("A broker that has the document is proved")
    func proved() async throws {
        let broker = try await MosquittoBroker()
        try await BrokerOperator(port: broker.port).publish("right", to: Self.topic)
        #expect(await proof(broker.port, text: "right").run() == nil)
    }

    @Test("A document that comes later proves the broker too")
    func later() async throws {
        let broker = try await MosquittoBroker()
        let proof = proof(broker.port, text: "right")
        async let failure = proof.run()
        _ = try await eventually { broker.log.contains("as proof") ? true : nil }
        try await BrokerOperator(port: broker.port).publish("right", to: Self.topic)
        #expect(await failure == nil)
    }

    @Test("A broker that is away, has another document or refuses the subscription is not proved, with the reason")
    func refused() async throws {
        let broker = try await MosquittoBroker()
        try await BrokerOperator(port: broker.port).publish("wrong", to: Self.topic)
        let other = await proof(broker.port, text: "right", seconds: 1).run()
        #expect(
            other?.contains("mqtt://127.0.0.1:\(broker.port) has no configuration document") == true, "\(other ?? "")")
        try await broker.stop()
        let away = await proof(broker.port, text: "right", seconds: 1).run()
        #expect(away?.contains("\(broker.port)") == true, "\(away ?? "")")
        // A list without a rule; mosquitto 2.1 wants a file that only its user can change.
        let folder = try TemporaryFolder()
        try folder.write("", to: "nobody.acl", mode: 0o600)
        let closed = try await MosquittoBroker(
            configuration: "acl_file \(folder.file("nobody.acl"))", folder: folder)
        let unreadable = await proof(closed.port, text: "right", seconds: 5).run()
        #expect(unreadable != nil)
    }
}
