import OdographHarness
import Testing

@testable import OdographLink

@Suite("A client with several brokers")
struct BrokerListTests {
    private func configuration(_ ports: UInt16...) -> LinkConfiguration {
        var configuration = LinkConfiguration.test(port: ports[0])
        configuration.alternatives = ports.dropFirst().map {
            LinkConfiguration.Endpoint(host: "127.0.0.1", port: $0, transport: .plain)
        }
        configuration.shortestLookSeconds = 0.1
        return configuration
    }

    @Test("A client goes to the second broker while the first one is down, and returns when it is back")
    func returns() async throws {
        let (first, second) = (try await MosquittoBroker(), try await MosquittoBroker())
        try await first.stop()
        let client = MQTTClient(configuration: configuration(first.port, second.port), logger: silent)
        let recorder = Recorder(client)
        #expect(try await recorder.untilConnected().broker == "mqtt://127.0.0.1:\(second.port)")
        #expect(client.broker == "mqtt://127.0.0.1:\(second.port)")
        try await first.start()
        #expect(try await recorder.untilConnected(times: 2).broker == "mqtt://127.0.0.1:\(first.port)")
        // It has not left the first one because of the second one.
        client.publish([.text("t", "x", token: 7)])
        try await recorder.until("acknowledgement") { $0.acknowledged == [7] }
        #expect(recorder.now.connected.count == 2)
        await client.stop()
    }

    @Test("A broker that accepts the client and answers nothing is left for the next one")
    func unanswered() async throws {
        let silentBroker = try StubBroker { client in
            guard let connect = client.next() else { return }
            client.send(.consent(to: connect))
            while client.next() != nil {}
        }
        let second = try await MosquittoBroker()
        var configuration = configuration(silentBroker.port, second.port)
        configuration.acknowledgementTimeoutSeconds = 0.2
        configuration.shortestLookSeconds = 600
        let recorder = Recorder(MQTTClient(configuration: configuration, logger: silent))
        recorder.client.subscribe(["a"])
        let seen = try await recorder.until("the second broker") { $0.subscribed["a"] != nil }
        #expect(seen.connected.map(\.broker) == [silentBroker.port, second.port].map { "mqtt://127.0.0.1:\($0)" })
        await recorder.client.stop()
    }

    @Test("A client that gets other brokers leaves the old one, which publishes the last will")
    func moves() async throws {
        let (old, new) = (try await MosquittoBroker(), try await MosquittoBroker())
        let watcher = Recorder(MQTTClient(configuration: .test(port: old.port, clientID: "w"), logger: silent))
        watcher.client.subscribe(["will"])
        try await watcher.until("subscription") { $0.subscribed["will"] != nil }
        let client = MQTTClient(
            configuration: configuration(old.port),
            hooks: MQTTClient.Hooks(will: { _ in .text("will", "gone") }), logger: silent)
        let recorder = Recorder(client)
        try await recorder.untilConnected()
        client.connect(to: [LinkConfiguration.Endpoint(host: "127.0.0.1", port: new.port, transport: .plain)])
        #expect(try await recorder.untilConnected(times: 2).broker == "mqtt://127.0.0.1:\(new.port)")
        try await watcher.until("will") { $0.messages.map(\.text) == ["gone"] }
        await client.stop()
        await watcher.client.stop()
    }
}
