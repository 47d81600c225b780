import OdographHarness
import Logging
import Testing
import OdographThreads
import OdographWire

@testable import Odograph

/// Checks of the problem that an agent reports when a broker misbehaves.
@Suite("Problem reports about a misbehaving broker")
struct BrokerMisbehaviourTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func agent(_ broker: StubBroker) throws -> Agent {
        let text = """
            { fleet: "acme", device: "van-7", control: { path: "control.sock" },
              broker: { url: "mqtt://127.0.0.1:\(broker.port)", protocol: "5", reconnect: { minimum: 0.1, maximum: 1 } },
              source: { simulator: { parked: 0 } }, store: { path: "agent.db" },
              tracking: { sampling: { minimum_interval: 0, distance: 1, maximum_interval: 1 } } }
            """
        return Agent(
            configuration: try ConfigurationFile.parse(text, folder: folder.path),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    private func problem(_ code: Problem.Code, of agent: Agent) async throws -> Problem? {
        // The agent waits half a minute for an acknowledgement, and reports a problem after the second timeout.
        try await eventually { await agent.currentProblems.first { $0.code == code } }
    }

    /// CONNACK properties of a broker, and the words that the problem must contain.
    struct Limit: Sendable, CustomTestStringConvertible {
        var name: String
        var properties: [UInt8]
        var says: [String]

        var testDescription: String { name }

        static let all = [
            Limit(name: "Maximum QoS 0", properties: [0x24, 0], says: ["QoS 0", "publishes no records", "max_qos"]),
            Limit(
                name: "Maximum Packet Size 200", properties: [0x27, 0, 0, 0, 200],
                says: ["200 bytes", "max_packet_size"]
            ),
        ]
    }

    @Test("The problem names the broker's limit and does not mention a certificate", arguments: Limit.all)
    func limits(limit: Limit) async throws {
        let records = Lock(0)
        let broker = try StubBroker { client in
            client.serve(properties: limit.properties) { packet in
                if packet.type == 3, packet.text.contains("/location") { records.withLock { $0 += 1 } }
                return true
            }
        }
        let agent = try agent(broker)
        try await agent.start()
        let problem = try await problem(.publishRefused, of: agent)
        for word in limit.says { #expect(problem?.text.contains(word) == true, "\(String(describing: problem))") }
        #expect(problem?.text.contains("certificate") == false)
        #expect(records.withLock { $0 } == 0)
        await agent.stop()
    }

    @Test("A refusal by the broker's rules makes the problem mention the certificate")
    func notAuthorized() async throws {
        let broker = try StubBroker { client in
            guard client.next() != nil else { return }
            client.send([0x20, 3, 0, 0, 0])
            while let packet = client.next() {
                switch packet.type {
                case 3: client.send([0x40, 3] + packet.identifier + [0x87])
                case 8: client.send([0x90, 4] + packet.body[0..<2] + [0, 1])
                default: break
                }
            }
        }
        let agent = try agent(broker)
        try await agent.start()
        #expect(try await problem(.publishRefused, of: agent)?.text.contains("certificate") == true)
        await agent.stop()
    }

    @Test("A record that is never acknowledged is named and waits, and the other records are sent")
    func leftOut() async throws {
        let connections = Lock(0)
        let others = Lock<[Int]>([])
        // The broker never acknowledges the first record that it receives.
        let poison = Lock<String?>(nil)
        let broker = try StubBroker { client in
            let connection = connections.withLock { count in
                count += 1
                return count
            }
            client.serve { packet in
                guard packet.type == 3, let start = packet.text.firstRange(of: "\"seq\":") else { return true }
                let seq = String(packet.text[start.upperBound...].prefix { $0.isNumber })
                let isPoison = poison.withLock { poison in
                    poison = poison ?? seq
                    return poison == seq
                }
                if !isPoison { others.withLock { $0.append(connection) } }
                return !isPoison
            }
        }
        let agent = try agent(broker)
        try await agent.start()
        let problem = try await problem(.publishRefused, of: agent)
        let seq = try #require(poison.withLock { $0 })
        #expect(problem?.text.contains("does not acknowledge record \(seq),") == true, "\(String(describing: problem))")
        // The record was sent on two connections. The third connection sends the others without it.
        let goesOn = try await eventually { others.withLock { $0.count { $0 == 3 } > 5 ? true : nil } }
        #expect(goesOn == true)
        #expect(connections.withLock { $0 } == 3)
        #expect(await agent.currentProblems.contains { $0.code == .publishRefused })
        await agent.stop()
    }

    /// The numbers of the records that a broker has acknowledged, and of those on which it ends the connection.
    private struct Numbers {
        var acknowledged: Set<Int> = []
        var poisonous: Set<Int> = []
        var topics: Set<String> = []

        /// Whether all records up to a number are acknowledged, except the poisonous ones.
        func areComplete(through last: Int) -> Bool { acknowledged.union(poisonous).isSuperset(of: 1...last) }
    }

    @Test(
        "A record on which the broker ends the connection is set aside: the others are sent, and the problem names it",
        arguments: ["/timeline", "\"seq\":5,"])
    func ends(part: String) async throws {
        let numbers = Lock(Numbers())
        let broker = try StubBroker { client in
            guard let connect = client.next() else { return }
            client.send(.consent(to: connect))
            while let packet = client.next() {
                switch packet.type {
                case 3:
                    let seq = packet.text.firstRange(of: "\"seq\":").flatMap { start in
                        Int(String(packet.text[start.upperBound...].prefix { $0.isNumber }))
                    }
                    let isPoison = seq != nil && packet.text.contains(part)
                    numbers.withLock { numbers in
                        guard let seq else { return }
                        if isPoison {
                            numbers.poisonous.insert(seq)
                            numbers.topics.insert(packet.topic)
                        } else {
                            numbers.acknowledged.insert(seq)
                        }
                    }
                    // The broker gives no reason.
                    if isPoison { return }
                    client.send([0x40, 2] + packet.identifier)
                case 8: client.send([0x90, 4] + packet.body[0..<2] + [0, 1])
                default: break
                }
            }
        }
        let agent = try agent(broker)
        try await agent.start()
        let problem = try await problem(.publishRefused, of: agent)
        let (poisonous, topics) = numbers.withLock { ($0.poisonous, $0.topics) }
        #expect(
            poisonous.contains { problem?.text.contains("record \($0)") == true }
                && topics.contains { problem?.text.contains($0) == true }, "\(String(describing: problem))")
        let (newest, count) = numbers.withLock { ($0.acknowledged.max() ?? 0, $0.acknowledged.count) }
        // Of a topic that is not allowed, most records are not even tried.
        let goesOn = try await eventually {
            numbers.withLock { numbers in
                let isComplete = part == "/timeline" || numbers.areComplete(through: newest + 30)
                return isComplete && numbers.acknowledged.count >= count + 30 ? true : nil
            }
        }
        #expect(goesOn != nil, "\(numbers.withLock { $0 })")
        await agent.stop()
    }

    @Test("The problem names the client id when the broker reports that another client took over the session")
    func takenOver() async throws {
        let broker = try StubBroker { client in
            guard let connect = client.next() else { return }
            client.send(.consent(to: connect))
            // DISCONNECT with the reason 0x8E, session taken over (MQTT 5, section 3.14).
            client.send([0xE0, 2, 0x8E, 0])
        }
        let agent = try agent(broker)
        try await agent.start()
        let problem = try await problem(.clientIDShared, of: agent)
        #expect(problem?.text.contains("same client id") == true, "\(String(describing: problem))")
        await agent.stop()
    }

    @Test("A broker that ends each connection at once raises a lasting problem that blames no other client")
    func endsEach() async throws {
        let connections = Lock(0)
        let broker = try StubBroker { client in
            connections.withLock { $0 += 1 }
            guard let connect = client.next() else { return }
            client.send(.consent(to: connect))
        }
        let agent = try agent(broker)
        try await agent.start()
        let problem = try await problem(.connectionUnstable, of: agent)
        #expect(problem?.text.contains("in a row ended within 60 s") == true, "\(String(describing: problem))")
        let seen = connections.withLock { $0 }
        while connections.withLock({ $0 < seen + 6 }) {
            let codes = await agent.currentProblems.map(\.code)
            #expect(codes.contains(.connectionUnstable) && codes.contains(.brokerUnreachable))
            #expect(!codes.contains(.clientIDShared) && !codes.contains(.subscriptionRefused))
            try await Task.sleep(for: .milliseconds(10))
        }
        await agent.stop()
    }
}
