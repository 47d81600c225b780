import Glibc
import OdographHarness
import OdographLink
import Testing
import OdographThreads

@Suite("The caps on what a client publishes")
struct RateTests {
    private static func message(_ token: UInt64, isBulk: Bool, bytes: Int = 1) -> OutgoingMessage {
        OutgoingMessage(
            token: token, topic: "a", payload: [UInt8](repeating: 120, count: bytes), isBulk: isBulk)
    }

    @Test("Under a cap, a new position goes before the rest of the backlog, and everything arrives")
    func order() async throws {
        let broker = try await MosquittoBroker()
        var configuration = LinkConfiguration.test(port: broker.port)
        configuration.rateLimits = RateLimits(messagesPerSecond: 40)
        let recorder = Recorder(MQTTClient(configuration: configuration, logger: silent))
        try await recorder.untilConnected()
        recorder.client.publish((UInt64(1)...400).map { Self.message($0, isBulk: true) })
        try await recorder.until("the first acknowledgement") { !$0.acknowledged.isEmpty }
        recorder.client.publish([Self.message(1000, isBulk: false)])
        let seen = try await recorder.until("all") { $0.acknowledged.count == 401 }
        let place = try #require(seen.acknowledged.firstIndex(of: 1000))
        #expect(place < 380, "it went behind \(place) messages of the backlog")
        #expect(seen.acknowledged.filter { $0 != 1000 } == Array(1...400))
        await recorder.client.stop()
    }

    @Test("The unacknowledged messages stay below the bound in bytes")
    func maximumInFlightBytes() async throws {
        // Answers only when nothing more comes for a while, so that as much as possible is in flight.
        let inFlight = Lock(0)
        let largest = Lock(0)
        let broker = try StubBroker { client in
            guard client.next() != nil else { return }
            client.send([0x20, 3, 0, 0, 0])
            var waiting: [[UInt8]] = []
            while let packet = client.next() {
                guard packet.type == 3 else { continue }
                waiting.append(packet.identifier)
                let now = inFlight.withLock { bytes in
                    bytes += packet.body.count
                    return bytes
                }
                largest.withLock { $0 = max($0, now) }
                usleep(50_000)
                guard client.waiting == 0 else { continue }
                inFlight.withLock { $0 = 0 }
                for identifier in waiting { client.send([0x40, 2] + identifier) }
                waiting = []
            }
        }
        var configuration = LinkConfiguration.test(port: broker.port)
        configuration.protocolPreference = .v5
        configuration.maximumInFlightBytes = 10_000
        let recorder = Recorder(MQTTClient(configuration: configuration, logger: silent))
        try await recorder.untilConnected()
        recorder.client.publish((UInt64(1)...40).map { Self.message($0, isBulk: true, bytes: 3000) })
        try await recorder.until("all") { $0.acknowledged.count == 40 }
        #expect((6000...10_000).contains(largest.withLock { $0 }))
        recorder.client.publish([Self.message(41, isBulk: true, bytes: 20_000)])
        try await recorder.until("a message above the bound") { $0.acknowledged.count == 41 }
        await recorder.client.stop()
    }

    @Test(
        "A message above the configured size is refused, and the next one is sent",
        arguments: [MQTTVersion.v5, .v311])
    func maximumSize(version: MQTTVersion) async throws {
        let broker = try await MosquittoBroker()
        var configuration = LinkConfiguration.test(port: broker.port)
        configuration.protocolPreference = version == .v5 ? .v5 : .v311
        configuration.maximumMessageBytes = 2000
        let recorder = Recorder(MQTTClient(configuration: configuration, logger: silent))
        try await recorder.untilConnected()
        recorder.client.publish([
            Self.message(1, isBulk: false, bytes: 2000), Self.message(2, isBulk: false, bytes: 1900),
        ])
        let seen = try await recorder.until("both") { $0.acknowledged == [2] && $0.refused[1] != nil }
        #expect(seen.refused == [1: 0x95])
        await recorder.client.stop()
    }
}
