import Glibc
import OdographHarness
import OdographLink
import OdographThreads
import Testing

@Suite("A misbehaving broker")
struct BadBrokerTests {
    private func failure(
        _ preference: ProtocolPreference, _ script: @escaping @Sendable (StubBroker.Client) -> Void,
        change: (inout LinkConfiguration) -> Void = { _ in }
    ) async throws -> LinkFailure {
        let broker = try StubBroker(script)
        var configuration = LinkConfiguration.test(port: broker.port)
        configuration.protocolPreference = preference
        change(&configuration)
        let recorder = Recorder(MQTTClient(configuration: configuration, logger: silent))
        let seen = try await recorder.until("failure") { !$0.failures.isEmpty }
        await recorder.client.stop()
        return seen.failures[0]
    }

    static let refusals5: [(UInt8, LinkFailure)] = [
        (0x85, .clientIDRefused("van-7")), (0x86, .badCredentials), (0x87, .notAuthorized), (0x8A, .banned),
        (0x88, .serverUnavailable(reason: "Server unavailable")),
        (0x9C, .serverUnavailable(reason: "Use another server")), (0x84, .protocolVersionRefused(.v5)),
    ]

    @Test("An MQTT 5 refusal is identified by its reason code", arguments: refusals5)
    func refusal5(reason: UInt8, expected: LinkFailure) async throws {
        let found = try await failure(.v5) { client in
            _ = client.next()
            client.send([0x20, 3, 0, reason, 0])
        }
        #expect(found == expected)
    }

    static let refusals311: [(UInt8, LinkFailure)] = [
        (1, .protocolVersionRefused(.v311)), (2, .clientIDRefused("van-7")),
        (3, .serverUnavailable(reason: "server unavailable")), (4, .badCredentials), (5, .notAuthorized),
    ]

    @Test("An MQTT 3.1.1 refusal is identified by its return code", arguments: refusals311)
    func refusal311(code: UInt8, expected: LinkFailure) async throws {
        let found = try await failure(.v311) { client in
            _ = client.next()
            client.send([0x20, 2, 0, code])
        }
        #expect(found == expected)
    }

    /// The behaviour of a broker that knows only MQTT 3.1.1, when it receives MQTT 5.
    enum OldBroker: CaseIterable {
        case refusesAsVersion5, refusesAsVersion3, closes
    }

    @Test("The client falls back at once for a broker that knows only MQTT 3.1.1", arguments: OldBroker.allCases)
    func fallsBack(kind: OldBroker) async throws {
        let broker = try StubBroker { client in
            guard let connect = client.next() else { return }
            if connect.protocolLevel == 5 {
                switch kind {
                case .refusesAsVersion5: client.send([0x20, 3, 0, 0x84, 0])
                case .refusesAsVersion3: client.send([0x20, 2, 0, 1])
                case .closes: break
                }
                return
            }
            client.send([0x20, 2, 0, 0])
            while client.next() != nil {}
        }
        let recorder = Recorder(MQTTClient(configuration: .test(port: broker.port), logger: silent))
        let info = try await recorder.untilConnected()
        #expect(info.protocolVersion == .v311)
        #expect(recorder.now.attempts.prefix(2) == [1, 2])
        await recorder.client.stop()
    }

    @Test("Silence, a closed connection, garbage and a closed port are distinguished")
    func noAnswer() async throws {
        let silence = try await failure(.v5) { client in
            while client.next() != nil {}
        } change: {
            $0.connectTimeoutSeconds = 0.3
        }
        guard case .timedOut = silence else { throw HarnessError("\(silence)") }
        let closed = try await failure(.v5) { _ in }
        #expect(closed == .closedBeforeConnack)
        let nonsense = try await failure(.v5) { client in
            client.send(Array("HTTP/1.1 400 Bad Request\r\n".utf8) + [UInt8](repeating: 32, count: 200))
            while client.next() != nil {}
        }
        guard case .protocolError = nonsense else { throw HarnessError("\(nonsense)") }
        let vacant = try FreePort.next()
        let recorder = Recorder(MQTTClient(configuration: .test(port: vacant), logger: silent))
        let seen = try await recorder.until("refusal") { !$0.failures.isEmpty }
        #expect(seen.failures[0] == .connectionRefused(host: "127.0.0.1", port: vacant))
        await recorder.client.stop()
    }

    /// Packets with the property 0x7E, which MQTT 5 does not define.
    private static let unknownProperties: [[UInt8]] = [
        // PUBLISH at QoS 0 and 1, PUBACK, SUBACK, DISCONNECT.
        [0x30, 6, 0, 1, 0x61, 2, 0x7E, 0], [0x32, 8, 0, 1, 0x61, 0, 1, 2, 0x7E, 0], [0x40, 6, 0, 1, 0, 2, 0x7E, 0],
        [0x90, 6, 0, 1, 2, 0x7E, 0, 0], [0xE0, 4, 0, 2, 0x7E, 0],
    ]

    @Test(
        "An unknown property in MQTT 5 ends the connection and not the process", arguments: unknownProperties)
    func unknownProperty(packet: [UInt8]) async throws {
        let broker = try StubBroker { client in
            guard let connect = client.next() else { return }
            client.send(.consent(to: connect) + packet)
            while client.next() != nil {}
        }
        var configuration = LinkConfiguration.test(port: broker.port)
        configuration.protocolPreference = .v5
        let recorder = Recorder(MQTTClient(configuration: configuration, logger: silent))
        let seen = try await recorder.until("failures") { $0.failures.count >= 2 }
        guard case .protocolError = seen.failures[0] else { throw HarnessError("\(seen.failures)") }
        await recorder.client.stop()
    }

    @Test(
        "Random bytes after the CONNACK end only the connection", arguments: UInt64(1)...8,
        [ProtocolPreference.v5, .v311])
    func garbage(seed: UInt64, preference: ProtocolPreference) async throws {
        let broker = try StubBroker { client in
            guard let connect = client.next() else { return }
            client.send(.consent(to: connect))
            var generator = SplitMix64(seed: seed)
            client.send((0..<4000).map { _ in UInt8.random(in: 0...255, using: &generator) })
        }
        var configuration = LinkConfiguration.test(port: broker.port)
        configuration.protocolPreference = preference
        let recorder = Recorder(MQTTClient(configuration: configuration, logger: silent))
        try await recorder.until("failures") { $0.failures.count >= 2 }
        await recorder.client.stop()
    }

    @Test("Random bytes instead of a CONNACK end the attempt", arguments: UInt64(1)...8)
    func garbageFirst(seed: UInt64) async throws {
        let found = try await failure(.v5) { client in
            var generator = SplitMix64(seed: seed)
            client.send((0..<4000).map { _ in UInt8.random(in: 0...255, using: &generator) })
            while client.next() != nil {}
        }
        guard case .protocolError = found else { throw HarnessError("\(found)") }
    }

    @Test("A host without an address is named")
    func unknownHost() async throws {
        let recorder = Recorder(
            MQTTClient(configuration: .test(port: 1883, host: "no-such-host.invalid"), logger: silent))
        let seen = try await recorder.until("failure", seconds: 60) { !$0.failures.isEmpty }
        guard case .hostNotFound("no-such-host.invalid", _) = seen.failures[0] else {
            throw HarnessError("\(seen.failures)")
        }
        await recorder.client.stop()
    }

    @Test("A broker that never acknowledges is disconnected, and the messages are returned")
    func neverAcknowledges() async throws {
        let broker = try StubBroker { client in
            guard let connect = client.next() else { return }
            client.send(.consent(to: connect))
            while client.next() != nil {}
        }
        var configuration = LinkConfiguration.test(port: broker.port)
        configuration.acknowledgementTimeoutSeconds = 0.3
        let recorder = Recorder(MQTTClient(configuration: configuration, logger: silent))
        try await recorder.untilConnected()
        recorder.client.publish((UInt64(1)...5).map { OutgoingMessage.text("a", "m", token: $0) })
        // The messages are returned before the reason is.
        let seen = try await recorder.until("return") { $0.returned.count == 5 && !$0.failures.isEmpty }
        #expect(seen.failures.first == .acknowledgementTimeout(seconds: 0))
        await recorder.client.stop()
    }

    @Test("The number of messages in flight never exceeds the broker's maximum")
    func receiveMaximum() async throws {
        let most = Lock(0)
        let broker = try StubBroker { client in
            guard client.next() != nil else { return }
            client.send([0x20, 6, 0, 0, 3, 0x21, 0, 5])
            var waiting: [[UInt8]] = []
            while let packet = client.nextPublication() {
                waiting.append(packet.identifier)
                most.withLock { $0 = max($0, waiting.count) }
                // Acknowledges only when no more input is waiting.
                usleep(2000)
                guard client.waiting == 0 else { continue }
                for identifier in waiting { client.send([0x40, 2] + identifier) }
                waiting = []
            }
        }
        let recorder = Recorder(MQTTClient(configuration: .test(port: broker.port), logger: silent))
        try await recorder.untilConnected()
        recorder.client.publish((UInt64(1)...100).map { OutgoingMessage.text("a", "m", token: $0) })
        let seen = try await recorder.until("all") { $0.acknowledged.count == 100 }
        #expect(seen.acknowledged == Array(1...100))
        #expect(most.withLock { $0 } == 5)
        await recorder.client.stop()
    }

    @Test("A message that is longer than the broker allows is refused before it is sent", arguments: [0, 40])
    func maximumPacketSize(correlationBytes: Int) async throws {
        let broker = try StubBroker { client in
            guard client.next() != nil else { return }
            // Maximum Packet Size: 100.
            client.send([0x20, 8, 0, 0, 5, 0x27, 0, 0, 0, 100])
            while let packet = client.nextPublication() {
                client.send([0x40, 2] + packet.identifier)
            }
        }
        let recorder = Recorder(MQTTClient(configuration: .test(port: broker.port), logger: silent))
        try await recorder.untilConnected()
        // The library aborts the process for some of these lengths if a message is a byte too long.
        let properties =
            correlationBytes == 0
            ? nil : OutgoingMessage.Properties(correlationData: [UInt8](repeating: 1, count: correlationBytes))
        recorder.client.publish(
            (0...120).map { length in
                OutgoingMessage(
                    token: UInt64(length), topic: "a", payload: [UInt8](repeating: 0, count: length),
                    properties: properties)
            })
        let seen = try await recorder.until("all ends") { $0.acknowledged.count + $0.refused.count == 121 }
        let longest = try #require(seen.acknowledged.max())
        #expect(seen.refused.keys.min() == longest + 1)
        // 1 byte is for the topic, 16 are for the rest of the packet, and 32 are for the lengths of properties.
        #expect(longest == (correlationBytes == 0 ? 83 : 51 - UInt64(correlationBytes)))
        #expect(Set(seen.refused.values) == [0x95])
        await recorder.client.stop()
    }

    @Test("Reason 0x10 is an acknowledgement, and a reason from 0x80 on is a refusal")
    func reasons() async throws {
        let broker = try StubBroker { client in
            guard let connect = client.next() else { return }
            client.send(.consent(to: connect))
            for reason: UInt8 in [0x10, 0x87, 0x97, 0x87, 0] {
                guard let packet = client.nextPublication() else { return }
                client.send([0x40, 3] + packet.identifier + [reason])
            }
            while client.next() != nil {}
        }
        let recorder = Recorder(MQTTClient(configuration: .test(port: broker.port), logger: silent))
        try await recorder.untilConnected()
        recorder.client.publish((UInt64(1)...3).map { OutgoingMessage.text("a", "m", token: $0) })
        recorder.client.publish([.text("report", "m"), .text("a", "m", token: 5)])
        let seen = try await recorder.until("all") { $0.refused.count == 2 && $0.acknowledged.count == 2 }
        #expect(seen.acknowledged == [1, 5])
        #expect(seen.refused == [2: 0x87, 3: 0x97] && seen.refusedTopics == ["report"])
        await recorder.client.stop()
    }

    @Test("A forbidden subscription is refused by name, and the others are granted")
    func forbiddenSubscription() async throws {
        let broker = try StubBroker { client in
            guard let connect = client.next() else { return }
            client.send(.consent(to: connect))
            while let packet = client.next() {
                guard packet.type == 8 else { continue }
                // The body contains the identifier, an empty property list, and the filter with its length.
                let isForbidden = packet.body[5...].starts(with: Array("other".utf8))
                client.send([0x90, 4] + packet.body[0..<2] + [0, isForbidden ? 0x87 : 1])
            }
        }
        let recorder = Recorder(MQTTClient(configuration: .test(port: broker.port), logger: silent))
        recorder.client.subscribe(["other/#", "fleet/#"])
        let seen = try await recorder.until("both answers") { $0.subscribed.count == 2 }
        #expect(seen.subscribed["fleet/#"] == .some(nil))
        #expect(seen.subscribed["other/#"] == .some("Not authorized"))
        await recorder.client.stop()
    }

    @Test("A broker's DISCONNECT is identified by its reason, and the client reconnects")
    func disconnect() async throws {
        let broker = try StubBroker { client in
            guard let connect = client.next() else { return }
            client.send(.consent(to: connect) + [0xE0, 2, 0x8E, 0])
            while client.next() != nil {}
        }
        let recorder = Recorder(MQTTClient(configuration: .test(port: broker.port), logger: silent))
        try await recorder.untilConnected(times: 2)
        #expect(recorder.now.failures.first == .sessionTakenOver(clientID: "van-7"))
        // The attempts are counted since the last connection.
        #expect(recorder.now.attempts.prefix(2) == [1, 1])
        await recorder.client.stop()
    }

    @Test("A message that comes with the acceptance is delivered at once")
    func early() async throws {
        let broker = try StubBroker { client in
            guard let connect = client.next() else { return }
            client.send(.consent(to: connect) + [0x30, 5, 0, 1, 0x61, 0, 0x78])
            while client.next() != nil {}
        }
        let recorder = Recorder(MQTTClient(configuration: .test(port: broker.port), logger: silent))
        let seen = try await recorder.until("the message") { !$0.messages.isEmpty }
        #expect(seen.messages.map(\.topic) == ["a"] && seen.connected.count == 1)
        await recorder.client.stop()
    }

    @Test("A broker that answers no ping is disconnected")
    func keepAlive() async throws {
        let pings = Lock(0)
        let broker = try StubBroker { client in
            guard client.next() != nil else { return }
            // Server Keep Alive: 1 s.
            client.send([0x20, 6, 0, 0, 3, 0x13, 0, 1])
            while let packet = client.next() { if packet.type == 12 { pings.withLock { $0 += 1 } } }
        }
        let recorder = Recorder(MQTTClient(configuration: .test(port: broker.port), logger: silent))
        try await recorder.untilConnected()
        let seen = try await recorder.until("failure") { !$0.failures.isEmpty }
        #expect(seen.failures.first == .keepAliveTimeout(seconds: 1))
        #expect(pings.withLock { $0 } >= 1)
        await recorder.client.stop()
    }

    @Test("An idle client pings and stays connected")
    func idle() async throws {
        let pings = Lock(0)
        let broker = try StubBroker { client in
            guard client.next() != nil else { return }
            client.send([0x20, 6, 0, 0, 3, 0x13, 0, 1])
            while let packet = client.next() {
                guard packet.type == 12 else { continue }
                pings.withLock { $0 += 1 }
                client.send([0xD0, 0])
            }
        }
        let recorder = Recorder(MQTTClient(configuration: .test(port: broker.port), logger: silent))
        try await recorder.untilConnected()
        let hasPinged = try await eventually { pings.withLock { $0 >= 2 ? true : nil } }
        #expect(hasPinged == true)
        #expect(recorder.now.failures.isEmpty)
        await recorder.client.stop()
    }

    @Test("The longest accepted packet is announced to an MQTT 5 broker")
    func announcesMaximumPacketSize() async throws {
        let body = Lock<[UInt8]>([])
        let broker = try StubBroker { client in
            guard let connect = client.next() else { return }
            body.withLock { $0 = connect.body }
            client.send(.consent(to: connect))
            while client.next() != nil {}
        }
        var configuration = LinkConfiguration.test(port: broker.port)
        configuration.maximumIncomingBytes = 100_000
        let recorder = Recorder(MQTTClient(configuration: configuration, logger: silent))
        try await recorder.untilConnected()
        let connect = body.withLock { $0 }
        // Property 0x27 with four bytes: 100,000 + 65,536 + 1024.
        let expected: [UInt8] = [0x27, 0x00, 0x02, 0x8A, 0xA0]
        #expect(connect.indices.contains { connect[$0...].starts(with: expected) })
        await recorder.client.stop()
    }
}
