import Glibc
import Logging
import OdographHarness
import OdographLink
import Testing

@Suite("Messages through a real broker")
struct DeliveryTests {
    @Test("Messages arrive and are acknowledged in order", arguments: [MQTTVersion.v5, .v311])
    func arrives(version: MQTTVersion) async throws {
        let broker = try await MosquittoBroker()
        var configuration = LinkConfiguration.test(port: broker.port)
        configuration.protocolPreference = version == .v5 ? .v5 : .v311
        let recorder = Recorder(MQTTClient(configuration: configuration, logger: silent))
        recorder.client.subscribe(["fleet/#"])
        let info = try await recorder.untilConnected()
        #expect(info.protocolVersion == version)
        try await recorder.until("subscription") { $0.subscribed["fleet/#"] == .some(nil) }
        let messages = (UInt64(1)...100).map { token in
            OutgoingMessage.text("fleet/a/location", "m\(token)", token: token)
        }
        recorder.client.publish(messages)
        let seen = try await recorder.until("all") { $0.messages.count == 100 && $0.acknowledged.count == 100 }
        #expect(seen.acknowledged == Array(1...100))
        #expect(seen.messages.map(\.text) == (1...100).map { (n: Int) in "m\(n)" })
        await recorder.client.stop()
        try await recorder.until("end") { $0.isFinished }
        #expect(recorder.now.failures == [.byRequest])
    }

    @Test("More messages than there are packet identifiers are acknowledged once each")
    func identifiersWrap() async throws {
        let broker = try await MosquittoBroker()
        let recorder = Recorder(MQTTClient(configuration: .test(port: broker.port), logger: silent))
        try await recorder.untilConnected()
        let payload = [UInt8](repeating: 120, count: 40)
        let tokens = Array(UInt64(1)...70_000)
        recorder.client.publish(tokens.map { OutgoingMessage(token: $0, topic: "fleet/a/location", payload: payload) })
        let seen = try await recorder.until("all", seconds: 120) { $0.acknowledged.count >= 70_000 }
        #expect(seen.acknowledged == tokens)
        #expect(seen.returned.isEmpty)
        await recorder.client.stop()
    }

    @Test("If the broker dies, all messages are returned, and they arrive after they are sent again")
    func brokerRestarts() async throws {
        let broker = try await MosquittoBroker()
        let recorder = Recorder(MQTTClient(configuration: .test(port: broker.port), logger: silent))
        try await recorder.untilConnected()
        broker.pause()
        let tokens = Array(UInt64(1)...3000)
        func messages(_ tokens: [UInt64]) -> [OutgoingMessage] {
            tokens.map { .text("fleet/a/location", "m\($0)", token: $0) }
        }
        recorder.client.publish(messages(tokens))
        try await Task.sleep(for: .milliseconds(100))
        try await broker.stop(SIGKILL)
        let fallen = try await recorder.until("return") { $0.returned.count == 3000 }
        #expect(fallen.returned == tokens)
        #expect(fallen.acknowledged.isEmpty)
        try await broker.start()
        try await recorder.untilConnected(times: 2)
        recorder.client.publish(messages(tokens))
        let seen = try await recorder.until("acknowledgements") { $0.acknowledged.count == 3000 }
        #expect(seen.acknowledged == tokens)
        await recorder.client.stop()
    }

    @Test("Without a connection a message is returned at once")
    func returnedWithoutConnection() async throws {
        let recorder = Recorder(
            MQTTClient(configuration: .test(port: try FreePort.next()), logger: silent))
        recorder.client.publish([.text("fleet/a/location", "m", token: 7)])
        try await recorder.until("return") { $0.returned == [7] }
        await recorder.client.stop()
        recorder.client.publish([.text("fleet/a/location", "m", token: 8)])
    }

    @Test("The connect message is first, the disconnect message is last, and a stop triggers no will")
    func birthAndFarewell() async throws {
        let broker = try await MosquittoBroker()
        let watcher = Recorder(MQTTClient(configuration: .test(port: broker.port, clientID: "desk"), logger: silent))
        watcher.client.subscribe(["fleet/van-7/#"])
        try await watcher.until("subscription") { !$0.subscribed.isEmpty }
        let hooks = MQTTClient.Hooks(
            will: { .text("fleet/van-7/status", "lost \($0)") },
            connectMessages: { [.text("fleet/van-7/status", "online \($0.connectionNumber)")] })
        let recorder = Recorder(
            MQTTClient(configuration: .test(port: broker.port), firstConnectionNumber: 41, hooks: hooks, logger: silent)
        )
        try await recorder.untilConnected()
        await recorder.client.stop(disconnectMessages: [.text("fleet/van-7/status", "stopped")])
        let seen = try await watcher.until("farewell") { $0.messages.contains { $0.text == "stopped" } }
        #expect(seen.messages.map(\.text) == ["online 41", "stopped"])
        await watcher.client.stop()
    }

    @Test("A repeated subscription brings the retained message again")
    func subscribedAgain() async throws {
        let broker = try await MosquittoBroker()
        try await BrokerOperator(port: broker.port).publish("kept", to: "fleet/van-7/receipt/main")
        let watcher = Recorder(MQTTClient(configuration: .test(port: broker.port, clientID: "desk"), logger: silent))
        for count in 1...2 {
            watcher.client.subscribe(["fleet/van-7/receipt/main"])
            try await watcher.until("the message") { $0.messages.count == count }
        }
        await watcher.client.stop()
    }

    @Test("A broken connection triggers the will of its own client")
    func will() async throws {
        let broker = try await MosquittoBroker()
        let watcher = Recorder(MQTTClient(configuration: .test(port: broker.port, clientID: "desk"), logger: silent))
        watcher.client.subscribe(["fleet/van-7/status"])
        try await watcher.until("subscription") { !$0.subscribed.isEmpty }
        let hooks = MQTTClient.Hooks(will: { .text("fleet/van-7/status", "lost \($0)") })
        let recorder = Recorder(
            MQTTClient(configuration: .test(port: broker.port), firstConnectionNumber: 7, hooks: hooks, logger: silent))
        try await recorder.untilConnected()
        recorder.client.reconnect()
        try await recorder.untilConnected(times: 2)
        recorder.client.reconnect()
        try await recorder.untilConnected(times: 3)
        let seen = try await watcher.until("wills") { $0.messages.count >= 2 }
        #expect(seen.messages.map(\.text) == ["lost 7", "lost 8"])
        await recorder.client.stop()
        await watcher.client.stop()
    }

    @Test("A requested new connection begins without the wait for a failure, and without a warning")
    func requested() async throws {
        let broker = try await MosquittoBroker()
        var configuration = LinkConfiguration.test(port: broker.port)
        (configuration.backoffMinimumSeconds, configuration.backoffMaximumSeconds) = (3600, 3600)
        let log = CapturedLog(.warning)
        let recorder = Recorder(
            MQTTClient(configuration: configuration, logger: Logger(label: "test") { _ in log }))
        try await recorder.untilConnected()
        recorder.client.reconnect()
        try await recorder.untilConnected(times: 2)
        await recorder.client.stop()
        let seen = try await recorder.until("end") { $0.isFinished }
        #expect(seen.failures == [.byRequest, .byRequest])
        #expect(seen.delays == [0, nil])
        #expect(log.lines == [])
    }

    @Test("Retained messages arrive at each connection, and an empty payload removes them")
    func retained() async throws {
        let broker = try await MosquittoBroker()
        let recorder = Recorder(MQTTClient(configuration: .test(port: broker.port), logger: silent))
        try await recorder.untilConnected()
        recorder.client.publish([
            OutgoingMessage(token: 1, topic: "fleet/all/config", payload: [1, 2, 3], isRetained: true)
        ])
        try await recorder.until("acknowledgement") { $0.acknowledged == [1] }
        recorder.client.subscribe(["fleet/all/config"])
        try await recorder.until("retained") { $0.messages.count == 1 && $0.messages[0].isRetained }
        recorder.client.reconnect()
        try await recorder.until("retained again") { $0.messages.count == 2 && $0.messages[1].isRetained }
        recorder.client.publish([OutgoingMessage(topic: "fleet/all/config", payload: [], isRetained: true)])
        let seen = try await recorder.until("removal") { $0.messages.count == 3 }
        #expect(seen.messages[2].payload.isEmpty)
        await recorder.client.stop()
    }

    @Test("Properties of MQTT 5 are transferred")
    func properties() async throws {
        let broker = try await MosquittoBroker()
        let recorder = Recorder(MQTTClient(configuration: .test(port: broker.port), logger: silent))
        recorder.client.subscribe(["fleet/a/response"])
        try await recorder.until("subscription") { !$0.subscribed.isEmpty }
        let properties = OutgoingMessage.Properties(
            correlationData: [0, 255, 7], contentType: "application/json", messageExpirySeconds: 60,
            responseTopic: "fleet/desk")
        recorder.client.publish([
            OutgoingMessage(token: 1, topic: "fleet/a/response", payload: [9], properties: properties)
        ])
        let seen = try await recorder.until("message") { !$0.messages.isEmpty }
        #expect(seen.messages[0].correlationData == [0, 255, 7])
        #expect(seen.messages[0].responseTopic == "fleet/desk")
        await recorder.client.stop()
    }

    @Test("A payload beyond the limit is not accepted", arguments: [MQTTVersion.v5, .v311])
    func oversized(version: MQTTVersion) async throws {
        let broker = try await MosquittoBroker()
        var configuration = LinkConfiguration.test(port: broker.port)
        configuration.maximumIncomingBytes = 2000
        configuration.protocolPreference = version == .v5 ? .v5 : .v311
        let recorder = Recorder(MQTTClient(configuration: configuration, logger: silent))
        recorder.client.subscribe(["fleet/a"])
        try await recorder.until("subscription") { !$0.subscribed.isEmpty }
        recorder.client.publish([
            OutgoingMessage(topic: "fleet/a", payload: [UInt8](repeating: 0, count: 2001)),
            OutgoingMessage(topic: "fleet/a", payload: [UInt8](repeating: 0, count: 2000)),
        ])
        let seen = try await recorder.until("the short one") { !$0.messages.isEmpty }
        #expect(seen.oversized == [2001])
        #expect(seen.messages.map(\.payload.count) == [2000])
        await recorder.client.stop()
    }

    @Test("The broker goes on after payloads beyond the limit")
    func manyOversized() async throws {
        let broker = try await MosquittoBroker()
        var configuration = LinkConfiguration.test(port: broker.port)
        configuration.maximumIncomingBytes = 1000
        configuration.incomingRoomBytes = 1 << 20
        configuration.protocolPreference = .v5
        let recorder = Recorder(MQTTClient(configuration: configuration, logger: silent))
        recorder.client.subscribe(["fleet/a"])
        try await recorder.until("subscription") { !$0.subscribed.isEmpty }
        // mosquitto has at most 20 messages without an acknowledgement.
        let large = OutgoingMessage(topic: "fleet/a", payload: [UInt8](repeating: 0, count: 100_000))
        recorder.client.publish(
            Array(repeating: large, count: 25) + [OutgoingMessage(topic: "fleet/a", payload: [1])])
        let seen = try await recorder.until("the short one") { !$0.messages.isEmpty }
        #expect(seen.oversized.count == 25)
        await recorder.client.stop()
    }

    @Test("An invalid topic is refused, and the next message is sent")
    func badTopic() async throws {
        let broker = try await MosquittoBroker()
        let recorder = Recorder(MQTTClient(configuration: .test(port: broker.port), logger: silent))
        try await recorder.untilConnected()
        recorder.client.publish([.text("fleet/#", "m", token: 1), .text("", "m", token: 2), .text("a", "m", token: 3)])
        let seen = try await recorder.until("all") { $0.acknowledged == [3] }
        #expect(Set(seen.refused.keys) == [1, 2])
        await recorder.client.stop()
    }

    @Test("A QoS 0 message counts as acknowledged when it is sent")
    func atMostOnce() async throws {
        let broker = try await MosquittoBroker()
        let recorder = Recorder(MQTTClient(configuration: .test(port: broker.port), logger: silent))
        recorder.client.subscribe(["a"])
        try await recorder.until("subscription") { !$0.subscribed.isEmpty }
        recorder.client.publish(
            (1...50).map {
                OutgoingMessage(token: $0, topic: "a", payload: [1], qos: $0 % 2 == 0 ? .atMostOnce : .atLeastOnce)
            })
        let seen = try await recorder.until("all") { $0.acknowledged.count == 50 && $0.messages.count == 50 }
        #expect(Set(seen.acknowledged) == Set(1...50))
        await recorder.client.stop()
    }
}
