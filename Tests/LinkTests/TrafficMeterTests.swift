import OdographHarness
import Testing

@testable import OdographLink

@Suite("The count of a connection's traffic")
struct TrafficMeterTests {
    private func counters(
        _ bytes: (sent: Int64, received: Int64), segments: (sent: Int64, received: Int64),
        state: TCPCounters.State = .established, hasTimestamps: Bool = true, isIPv6: Bool = false
    ) -> TCPCounters {
        TCPCounters(
            bytesSent: bytes.sent, bytesReceived: bytes.received, segmentsSent: segments.sent,
            segmentsReceived: segments.received, state: state, hasTimestamps: hasTimestamps, isIPv6: isIPv6)
    }

    @Test("Each segment has its headers, and the first two have more options")
    func headers() {
        #expect(TrafficMeter.bytes(of: counters((0, 0), segments: (0, 0))) == 0)
        // SYN without an answer: 20 + 20 + 20.
        #expect(TrafficMeter.bytes(of: counters((0, 0), segments: (3, 0), state: .connecting)) == 180)
        #expect(
            TrafficMeter.bytes(of: counters((0, 0), segments: (1, 0), state: .connecting, hasTimestamps: false)) == 60)
        // SYN and its answer have 60 bytes, the acknowledgement 52.
        #expect(TrafficMeter.bytes(of: counters((0, 0), segments: (2, 1))) == 172)
        #expect(TrafficMeter.bytes(of: counters((500, 300), segments: (4, 3))) == 800 + 7 * 52 + 16)
        #expect(TrafficMeter.bytes(of: counters((500, 300), segments: (4, 3), hasTimestamps: false)) == 800 + 280 + 24)
        #expect(TrafficMeter.bytes(of: counters((500, 300), segments: (4, 3), isIPv6: true)) == 800 + 7 * 72 + 16)
    }

    @Test("Bytes are counted once, and a connection that is not new is counted from then on")
    func once() {
        let first = counters((1000, 500), segments: (5, 5))
        let second = counters((1500, 600), segments: (7, 6))
        var meter = TrafficMeter()
        #expect(meter.take(first) == 1500 + 10 * 52 + 16)
        #expect(meter.take(first) == 0)
        #expect(meter.take(second) == 600 + 3 * 52)
        // Counters that return do not count, and nothing is counted again after that.
        #expect(meter.take(first) == 0)
        #expect(meter.take(second) == 0)
        var later = TrafficMeter(since: first)
        #expect(later.take(second) == 600 + 3 * 52)
    }

    @Test(
        "The end of a connection takes the segments that are still to come",
        arguments: [
            (TCPCounters.State.established, Int64(3)), (.closedByPeer, 2), (.over, 0), (.connecting, 0),
        ])
    func end(state: TCPCounters.State, segments: Int64) {
        var last = counters((1000, 500), segments: (5, 5))
        var meter = TrafficMeter()
        _ = meter.take(last)
        last.state = state
        let known = TrafficMeter.bytes(of: last)
        var other = TrafficMeter(since: last)
        #expect(other.takeLast(last) == segments * 52)
        #expect(known > 0)
    }

    private func message(_ token: UInt64, bytes: Int) -> OutgoingMessage {
        OutgoingMessage(token: token, topic: "a", payload: [UInt8](repeating: 120, count: bytes))
    }

    @Test("A client counts all its connections, reports in time, and counts nothing while that is off")
    func client() async throws {
        let broker = try await MosquittoBroker()
        let client = MQTTClient(configuration: .test(port: broker.port), logger: silent)
        client.countTraffic(reportBytes: 10_000)
        let recorder = Recorder(client)
        try await recorder.untilConnected()
        // CONNECT, CONNACK and the handshake of TCP.
        let first = try await recorder.until("the first report") { !$0.traffic.isEmpty }.traffic
        #expect((200...2000).contains(first.reduce(0, +)), "\(first)")
        client.publish((UInt64(1)...50).map { message($0, bytes: 1000) })
        try await recorder.until("acknowledgements") { $0.acknowledged.count == 50 }
        let seen = try await recorder.until("reports") { $0.traffic.reduce(0, +) > 40_000 }
        #expect(seen.traffic.count >= 3, "\(seen.traffic)")
        client.reconnect()
        try await recorder.untilConnected(times: 2)
        // The rest of the first connection, and the beginning of the second.
        let both = try await recorder.until("both") { $0.traffic.reduce(0, +) > 50_000 + 400 }.traffic.reduce(0, +)
        #expect(both < 60_000, "\(both)")
        client.countTraffic(reportBytes: nil)
        client.publish((UInt64(51)...100).map { message($0, bytes: 1000) })
        try await recorder.until("acknowledgements") { $0.acknowledged.count == 100 }
        #expect(recorder.now.traffic.reduce(0, +) < 60_000)
        client.countTraffic(reportBytes: 10_000)
        client.publish([message(101, bytes: 30_000)])
        try await recorder.until("acknowledgements") { $0.acknowledged.count == 101 }
        await client.stop()
        let total = try await recorder.until("the end") { $0.isFinished }.traffic.reduce(0, +)
        #expect((both + 30_000...both + 40_000).contains(total), "\(both) \(total)")
    }

    @Test("An attempt without an answer is counted too, and without a request there is no report")
    func attempts() async throws {
        let silentServer = try StubBroker { client in _ = client.next() }
        let client = MQTTClient(configuration: .test(port: silentServer.port), logger: silent)
        client.countTraffic(reportBytes: 1 << 20)
        let recorder = Recorder(client)
        let seen = try await recorder.until("three failures") { $0.failures.count >= 3 && !$0.traffic.isEmpty }
        #expect(seen.connected.isEmpty)
        #expect(seen.traffic.allSatisfy { (200...1500).contains($0) }, "\(seen.traffic)")
        await client.stop()
        let broker = try await MosquittoBroker()
        let other = Recorder(MQTTClient(configuration: .test(port: broker.port), logger: silent))
        try await other.untilConnected()
        await other.client.stop()
        let end = try await other.until("the end") { $0.isFinished }
        #expect(end.traffic.isEmpty)
    }
}
