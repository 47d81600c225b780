import FoundationEssentials
import OdographHarness
import OdographJSON
import Testing
import OdographWire

@Suite("An agent whose broker moves")
struct BrokerMoveTests {
    private static let config = "fleet/acme/van-7/config"

    private func agent(_ broker: MosquittoBroker, in folder: TemporaryFolder) throws -> AgentProcess {
        try AgentProcess.driving(broker, folder: folder)
    }

    /// Returns the newest status at a broker that meets a condition.
    private func status(
        _ subscriber: Subscriber, _ condition: (StatusMessage) -> Bool
    ) async throws -> StatusMessage? {
        try await eventually { try subscriber.statuses().last.flatMap { condition($0) ? $0 : nil } }
    }

    @Test(
        "A document moves the agent to a broker that has it too, a restart stays there, and its removal moves it back")
    func moves() async throws {
        let (old, new) = (try await MosquittoBroker(), try await MosquittoBroker())
        let (atOld, atNew) = (try await Subscriber(port: old.port), try await Subscriber(port: new.port))
        let folder = try TemporaryFolder()
        let agent = try agent(old, in: folder)
        #expect(try await status(atOld) { $0.state == .online } != nil, "\(agent.child.errors)")
        let document = "{ broker: { url: 'mqtt://127.0.0.1:\(new.port)' } }"
        // The new broker first: the agent does not go where it would have no configuration.
        try await BrokerOperator(port: new.port).publish(document, to: Self.config)
        try await BrokerOperator(port: old.port).publish(document, to: Self.config)
        #expect(try await status(atNew) { $0.state == .online } != nil, "\(agent.child.errors)")
        #expect(try await status(atOld) { $0.state != .online } != nil, "\(agent.child.errors)")
        let report = try await eventually { try atNew.reports().last { $0.configuration?["broker"] != nil } }
        #expect(report?.errors == [])
        try await agent.kill()
        try await old.stop()
        #expect(try await status(atNew) { $0.state != .online } != nil)
        let second = try self.agent(old, in: folder)
        #expect(try await status(atNew) { $0.state == .online } != nil, "\(second.child.errors)")
        // This broker has lost its retained messages, so nothing names the new one.
        try await old.start()
        let atOldAgain = try await Subscriber(port: old.port)
        try await BrokerOperator(port: new.port).publish("", to: Self.config)
        #expect(try await status(atOldAgain) { $0.state == .online } != nil, "\(second.child.errors)")
    }

    @Test(
        "The commands of the article copy the documents of a fleet to the new broker, byte for byte, and nothing else")
    func copy() async throws {
        let article = try String(
            contentsOfFile: Corpora.projectRoot + "/Sources/Odograph/Odograph.docc/Operations.md", encoding: .utf8)
        let commands = try #require(article.firstMatch(of: #/```text\n( +mosquitto_sub -t [^`]+done\n)/#)).1
        let (old, new) = (try await MosquittoBroker(), try await MosquittoBroker())
        let desk = BrokerOperator(port: old.port)
        // With quotation marks, a line break and letters of two bytes.
        let texts = ["{ version: 'a \"1\"',\n tracking: {} } // Ñ \\ %", "[]", "{\"driver\":\"Ana\"}"]
        let topics = ["van-7/config", "all/geofences/depot", "van-7/about"].map { "fleet/acme/" + $0 }
        for (topic, text) in zip(topics, texts) { try await desk.publish(text, to: topic) }
        try await desk.publish("{}", to: "fleet/acme/van-7/status")
        let options = try TemporaryFolder()
        for (program, broker) in [("mosquitto_sub", old), ("mosquitto_pub", new)] {
            try options.write("-h 127.0.0.1\n-p \(broker.port)\n", to: program)
        }
        let ran = try await ChildProcess.run(
            "bash", ["-euc", String(commands)], environment: ["XDG_CONFIG_HOME": options.path], seconds: 120)
        #expect(ran.ending == .exited(0) && ran.output.isEmpty, "\(ran)")
        let found = try await ChildProcess.run(
            "mosquitto_sub",
            ["-h", "127.0.0.1", "-p", "\(new.port)", "-t", "fleet/#", "--retained-only", "-W", "2", "-F", "%t %x"])
        let expected = zip(topics, texts).map { topic, text in
            topic + " " + text.utf8.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        }
        #expect(found.output.split(separator: "\n").map(String.init).sorted() == expected.sorted(), "\(found)")
    }

    @Test("An agent that cannot use the broker of a document stays, and says why")
    func stays() async throws {
        let broker = try await MosquittoBroker()
        let empty = try await MosquittoBroker()
        let subscriber = try await Subscriber(port: broker.port)
        let agent = try agent(broker, in: TemporaryFolder())
        _ = try await status(subscriber) { $0.state == .online }
        try await BrokerOperator(port: broker.port).publish(
            "{ broker: { url: 'mqtt://127.0.0.1:\(empty.port)' } }", to: Self.config)
        func failure(_ status: StatusMessage?) -> Problem? {
            status?.problems?.first { $0.code == .brokerMoveFailed }
        }
        let failed = try await status(subscriber) { failure($0) != nil }
        let text = failure(failed)?.text
        #expect(
            text?.contains("has no configuration document that names these brokers") == true, "\(agent.child.errors)")
        #expect(failed?.state == .online)
        try await BrokerOperator(port: broker.port).publish("{}", to: Self.config)
        #expect(try await status(subscriber) { $0.problems == nil } != nil, "\(agent.child.errors)")
    }

    @Test("A document cannot make the agent use a broker that others can read, or trust another authority")
    func refused() async throws {
        let broker = try await MosquittoBroker()
        let subscriber = try await Subscriber(port: broker.port)
        let agent = try agent(broker, in: TemporaryFolder())
        _ = try await status(subscriber) { $0.state == .online }
        try await BrokerOperator(port: broker.port).publish(
            "{ broker: { url: ['mqtt://192.0.2.1', 'mqtts://192.0.2.2'], tls: { ca_file: 'x' } } }", to: Self.config)
        let report = try await eventually { try subscriber.reports().last.flatMap { $0.errors.isEmpty ? nil : $0 } }
        #expect(report?.errors.map(\.path) == ["broker.tls"], "\(agent.child.errors)")
        try await BrokerOperator(port: broker.port).publish(
            "{ broker: { url: ['mqtt://192.0.2.1', 'mqtts://192.0.2.2'] } }", to: Self.config)
        let unencrypted = try await eventually {
            try subscriber.reports().last.flatMap { $0.errors.map(\.path) == ["broker.url"] ? $0 : nil }
        }
        #expect(unencrypted?.errors.first?.message.contains("not be encrypted") == true, "\(agent.child.errors)")
    }
}
