import OdographHarness
import OdographLink
import Testing
import OdographThreads

@Suite("A broker that withholds an answer")
struct WithheldAnswerTests {
    private static func configuration(_ port: UInt16) -> LinkConfiguration {
        var configuration = LinkConfiguration.test(port: port)
        configuration.protocolPreference = .v5
        configuration.acknowledgementTimeoutSeconds = 0.5
        return configuration
    }

    /// Returns a message whose payload contains its token.
    private static func message(_ token: UInt64) -> OutgoingMessage { .text("a", "<\(token)>", token: token) }

    private static func token(in packet: StubBroker.Packet) -> UInt64? {
        let text = packet.text
        guard let start = text.lastIndex(of: "<"), let end = text.lastIndex(of: ">") else { return nil }
        return UInt64(text[text.index(after: start)..<end])
    }

    @Test("A message is sent again on a new connection, even if later ones are acknowledged")
    func acknowledgement() async throws {
        let counts = Lock<[UInt64: Int]>([:])
        let broker = try StubBroker { client in
            client.serve { packet in
                guard packet.type == 3, let token = Self.token(in: packet) else { return true }
                let count = counts.withLock { counts in
                    counts[token, default: 0] += 1
                    return counts[token, default: 0]
                }
                return token != 3 || count > 1
            }
        }
        let recorder = Recorder(MQTTClient(configuration: Self.configuration(broker.port), logger: silent))
        try await recorder.untilConnected()
        recorder.client.publish((UInt64(1)...20).map(Self.message))
        // The test publishes another message after each acknowledgement, until the connection ends.
        var next = UInt64(21)
        while recorder.now.failures.isEmpty {
            recorder.client.publish([Self.message(next)])
            try await recorder.until("an answer") { [next] in
                $0.acknowledged.contains(next) || $0.returned.contains(next)
            }
            next += 1
        }
        let seen = try await recorder.until("the return") { $0.returned.contains(3) }
        #expect(seen.failures.first == .acknowledgementMissing(seconds: 0))
        #expect(seen.overtaken == [3])
        try await recorder.untilConnected(times: 2)
        recorder.client.publish(Set(seen.returned).sorted().map(Self.message))
        let last = next
        try await recorder.until("all") { seen in (1..<last).allSatisfy(seen.acknowledged.contains) }
        // On a busy machine the new connection can need several attempts.
        #expect(recorder.now.failures.count { $0 == .acknowledgementMissing(seconds: 0) } == 1)
        // Only messages in flight at the end of the connection were sent twice.
        let twice = counts.withLock { $0.filter { $0.value > 1 }.keys }
        #expect(Set(twice).subtracting(seen.returned).isEmpty)
        #expect(seen.returned.count <= 2)
        await recorder.client.stop()
    }

    @Test("An unanswered subscription ends the connection and is repeated")
    func subscription() async throws {
        let subscriptions = Lock(0)
        let broker = try StubBroker { client in
            client.serve { packet in
                guard packet.type == 8 else { return true }
                return subscriptions.withLock { count in
                    count += 1
                    return count > 1
                }
            }
        }
        let recorder = Recorder(MQTTClient(configuration: Self.configuration(broker.port), logger: silent))
        recorder.client.subscribe(["fleet/#"])
        let seen = try await recorder.until("the grant") { $0.subscribed["fleet/#"] != nil }
        #expect(seen.failures == [.subscriptionTimeout(filter: "fleet/#", seconds: 0)])
        await recorder.client.stop()
    }

    @Test("A message without a token is dropped after the deadline, and the connection continues")
    func unfollowed() async throws {
        let pings = Lock(0)
        let broker = try StubBroker { client in
            // Server Keep Alive: 1 s.
            client.serve(properties: [0x13, 0, 1]) { packet in
                if packet.type == 12 { pings.withLock { $0 += 1 } }
                return packet.type != 3 || Self.token(in: packet) != 1
            }
        }
        let recorder = Recorder(MQTTClient(configuration: Self.configuration(broker.port), logger: silent))
        try await recorder.untilConnected()
        recorder.client.publish([.text("a", "<1>"), Self.message(2)])
        try await recorder.until("the acknowledgement") { $0.acknowledged == [2] }
        // Both pings come after the deadline.
        let hasPinged = try await eventually { pings.withLock { $0 >= 2 ? true : nil } }
        #expect(hasPinged == true)
        #expect(recorder.now.failures.isEmpty)
        await recorder.client.stop()
    }
}
