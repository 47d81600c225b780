import OdographHarness
import OdographLink
import Testing
import OdographThreads

/// Checks the failure that the client reports when a broker misbehaves.
@Suite("The diagnosis of a misbehaving broker")
struct DiagnosisTests {
    private static func client(_ broker: StubBroker, change: (inout LinkConfiguration) -> Void = { _ in }) -> Recorder {
        var configuration = LinkConfiguration.test(port: broker.port)
        configuration.protocolPreference = .v5
        change(&configuration)
        return Recorder(MQTTClient(configuration: configuration, logger: silent))
    }

    @Test("A missing CONNACK is a timeout, also if the keep-alive is shorter")
    func noConsent() async throws {
        let broker = try StubBroker { client in
            while client.next() != nil {}
        }
        let recorder = Self.client(broker) {
            $0.keepAliveSeconds = 5
            $0.connectTimeoutSeconds = 7
        }
        let seen = try await recorder.until("failure") { !$0.failures.isEmpty }
        #expect(seen.failures.first == .timedOut(host: "127.0.0.1", port: broker.port, seconds: 7))
        await recorder.client.stop()
    }

    @Test("A broker that closes after its CONNACK is reported as closed, not as a refused subscription")
    func closesAfterConsent() async throws {
        let broker = try StubBroker { client in
            guard let connect = client.next() else { return }
            client.send(.consent(to: connect))
        }
        let recorder = Self.client(broker)
        recorder.client.subscribe((0..<20).map { "fleet/\($0)/#" })
        let seen = try await recorder.until("failures") { $0.failures.count >= 20 }
        let right: Set<LinkFailure> = [
            .closedByBroker, .connectionLost(detail: "Connection reset by peer"),
        ]
        #expect(Set(seen.failures).isSubset(of: right), "\(Set(seen.failures))")
        #expect(seen.subscribed.isEmpty, "\(seen.subscribed)")
        await recorder.client.stop()
    }

    @Test("The reason of a DISCONNECT is found, also if it follows the CONNACK and the broker closes at once")
    func disconnectAtOnce() async throws {
        let broker = try StubBroker { client in
            guard let connect = client.next() else { return }
            // 0x93: receive maximum exceeded.
            client.send(.consent(to: connect) + [0xE0, 2, 0x93, 0])
        }
        let recorder = Self.client(broker)
        recorder.client.subscribe((0..<20).map { "fleet/\($0)/#" })
        let seen = try await recorder.until("failures") { $0.failures.count >= 5 }
        #expect(
            seen.failures.allSatisfy {
                if case .serverDisconnected(0x93, _) = $0 { true } else { false }
            }, "\(seen.failures)")
        await recorder.client.stop()
    }

    @Test("With a maximum QoS of 0 a message with a token is refused, and one without is sent at QoS 0")
    func maximumQoS() async throws {
        let packets = Lock<[StubBroker.Packet]>([])
        let broker = try StubBroker { client in
            client.serve(properties: [0x24, 0]) { packet in
                packets.withLock { $0.append(packet) }
                return true
            }
        }
        let recorder = Self.client(broker)
        let info = try await recorder.untilConnected()
        #expect(info.maximumQoS == 0)
        recorder.client.publish([.text("records", "m", token: 1), .text("status", "m")])
        let seen = try await recorder.until("refusal") { !$0.refused.isEmpty }
        #expect(seen.refused == [1: 0x9B])
        let sent = try await eventually { packets.withLock { $0.first { $0.type == 3 } } }
        #expect(sent?.qos == 0 && sent?.text.contains("status") == true)
        await recorder.client.stop()
    }

    @Test("A CONNACK that refuses the QoS of the will is reported with advice")
    func refusedQoS() async throws {
        let broker = try StubBroker { client in
            _ = client.next()
            client.send([0x20, 3, 0, 0x9B, 0])
        }
        let recorder = Self.client(broker)
        let seen = try await recorder.until("failure") { !$0.failures.isEmpty }
        #expect(seen.failures.first == .qosNotSupported)
        #expect("\(LinkFailure.qosNotSupported)".contains("QoS 1"))
        await recorder.client.stop()
    }
}
