import Glibc
import OdographHarness
import OdographThreads
import Testing

@testable import OdographLink

@Suite("Aliases of topics")
struct TopicAliasTests {
    @Test("A topic gets an alias at its second use, while the broker has one, and keeps it")
    func forms() {
        var aliases = TopicAliases(maximum: 2)
        let topics = ["a", "b", "a", "b", "c", "c", "a", "b"]
        let forms = topics.map { topic in
            let form = aliases.form(of: topic)
            aliases.noteSent(topic, as: form)
            return form
        }
        #expect(
            forms == [.topic, .topic, .definition(1), .definition(2), .topic, .topic, .alias(1), .alias(2)])
    }

    @Test("Topics of single messages take neither an alias nor memory without a bound")
    func singles() {
        var aliases = TopicAliases(maximum: 10)
        for number in 0..<10_000 { aliases.noteSent("answer/\(number)", as: aliases.form(of: "answer/\(number)")) }
        #expect(aliases.form(of: "answer/63") == .definition(1))
        #expect(aliases.form(of: "answer/64") == .topic)
    }

    @Test("A message that was not sent defines no alias")
    func unsent() {
        var aliases = TopicAliases(maximum: 1)
        aliases.noteSent("a", as: .topic)
        #expect(aliases.form(of: "a") == .definition(1))
        #expect(aliases.form(of: "a") == .definition(1))
    }

    @Test("Messages leave with the aliases that the broker accepts on this connection")
    func packets() async throws {
        // The topics of the received messages, and the properties with their length, for each connection.
        let received = Lock<[[(topic: String, properties: [UInt8])]]>([])
        let broker = try StubBroker { client in
            received.withLock { $0.append([]) }
            // 0x22 is Topic Alias Maximum.
            client.serve(properties: [0x22, 0, 1]) { packet in
                guard packet.type == 3 else { return true }
                let length = Int(packet.body[0]) << 8 | Int(packet.body[1])
                let properties = packet.body[(4 + length)...]
                let count = Int(properties.first ?? 0)
                let entry = (
                    topic: String(decoding: packet.body[2..<(2 + length)], as: UTF8.self),
                    properties: Array(properties.dropFirst().prefix(count))
                )
                received.withLock { $0[$0.count - 1].append(entry) }
                // The fifth message ends the first connection.
                return received.withLock { !($0.count == 1 && $0[0].count == 5) }
            }
        }
        var configuration = LinkConfiguration.test(port: broker.port)
        configuration.protocolPreference = .v5
        configuration.acknowledgementTimeoutSeconds = 0.5
        let recorder = Recorder(MQTTClient(configuration: configuration, logger: silent))
        try await recorder.untilConnected()
        for (index, topic) in ["a", "a", "b", "a"].enumerated() {
            recorder.client.publish([.text(topic, "m", token: UInt64(index + 1))])
            try await recorder.until("an answer") { $0.acknowledged.count == index + 1 }
        }
        recorder.client.publish([.text("b", "m", token: 5)])
        try await recorder.until("the return") { $0.returned == [5] }
        try await recorder.untilConnected(times: 2)
        recorder.client.publish([.text("b", "m", token: 5)])
        recorder.client.publish([.text("b", "m", token: 6)])
        try await recorder.until("all") { $0.acknowledged.contains(6) }
        let connections = received.withLock { $0 }.filter { !$0.isEmpty }
        let alias: [UInt8] = [0x23, 0, 1]
        #expect(connections.map { $0.map(\.topic) } == [["a", "a", "b", "", "b"], ["b", "b"]])
        #expect(connections.map { $0.map(\.properties) } == [[[], alias, [], alias, []], [[], alias]])
        await recorder.client.stop()
    }

    @Test("A broker delivers each message to its topic, also after it was killed")
    func broker() async throws {
        let broker = try await MosquittoBroker()
        let configuration = LinkConfiguration.test(port: broker.port)
        let recorder = Recorder(MQTTClient(configuration: configuration, logger: silent))
        recorder.client.subscribe(["#"])
        // More topics than the 10 aliases of mosquitto.
        func messages(_ first: Int) -> [OutgoingMessage] {
            (first..<(first + 120)).map { number in
                var message = OutgoingMessage.text("t/\(number % 12)", "t/\(number % 12)", token: UInt64(number))
                message.isRetained = number % 5 == 0
                return message
            }
        }
        for round in 1...2 {
            try await recorder.untilConnected(times: round)
            try await recorder.until("subscription") { $0.subscribed["#"] == .some(nil) }
            recorder.client.publish(messages(round * 1000))
            try await recorder.until("all") { $0.acknowledged.count == 120 * round }
            if round == 1 {
                try await broker.stop(SIGKILL)
                try await broker.start()
            }
        }
        let seen = try await recorder.until("the messages") { $0.messages.count >= 240 }
        #expect(seen.messages.allSatisfy { $0.topic == $0.text })
        await recorder.client.stop()
    }
}
