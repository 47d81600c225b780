import OdographHarness
import Testing
import OdographThreads

@testable import OdographLink

@Suite("The keep-alive behind a NAT")
struct KeepAliveTests {
    /// Returns a configuration that searches between 0.5 s and 20 s.
    private static func configuration(port: UInt16, _ version: MQTTVersion = .v5) -> LinkConfiguration {
        var configuration = LinkConfiguration.test(port: port)
        configuration.protocolPreference = version == .v5 ? .v5 : .v311
        configuration.keepAliveMaximumSeconds = 60
        configuration.keepAliveLimitsOverride = KeepAliveLimits(
            shortestMilliseconds: 500, longestMilliseconds: 20_000, answerMilliseconds: 4000...4000)
        return configuration
    }

    @Test(
        "The client finds the interval, and a shorter one when the NAT's limit becomes shorter",
        arguments: [MQTTVersion.v5, .v311])
    func finds(version: MQTTVersion) async throws {
        let broker = try await MosquittoBroker()
        let network = try CuttableLink(to: broker.port)
        network.forgetSilentConnections(afterSeconds: 3)
        let recorder = Recorder(
            MQTTClient(configuration: Self.configuration(port: network.port, version), logger: silent))
        let found = try await recorder.until("an interval", seconds: 240) { seen in
            guard let memory = seen.keepAlive.last, let proven = memory.provenMilliseconds,
                let failed = memory.failedMilliseconds
            else { return false }
            return Double(failed) <= Double(proven) * 1.1
        }
        #expect(network.forgottenCount > 0)
        #expect(
            found.failures.contains { failure in
                if case .checkTimeout = failure { true } else { false }
            }, "\(found.summary)")
        network.forgetSilentConnections(afterSeconds: 1.2)
        let count = found.keepAlive.count
        try await recorder.until("the loss of the interval", seconds: 120) {
            $0.keepAlive[count...].contains { $0.provenMilliseconds == nil }
        }
        try await recorder.until("a shorter interval", seconds: 120) {
            $0.keepAlive.last?.provenMilliseconds.map { (500...2000).contains($0) } ?? false
        }
        let connections = recorder.now.connected.count
        recorder.client.publish([.text("fleet/a/location", "m", token: 1)])
        try await recorder.until("a message", seconds: 60) {
            $0.acknowledged == [1] || $0.returned == [1] && $0.connected.count > connections
        }
        await recorder.client.stop()
    }

    @Test("Without a longest interval the client sends no check, and learns nothing")
    func fixed() async throws {
        let packets = Lock<[UInt8]>([])
        let broker = try StubBroker { client in
            client.serve { packet in
                packets.withLock { $0.append(packet.type) }
                return true
            }
        }
        var configuration = LinkConfiguration.test(port: broker.port)
        configuration.protocolPreference = .v5
        configuration.keepAliveSeconds = 5
        let recorder = Recorder(MQTTClient(configuration: configuration, logger: silent))
        try await recorder.untilConnected()
        let ping = try await eventually { packets.withLock { $0.contains(12) } ? true : nil }
        #expect(ping == true)
        #expect(packets.withLock { !$0.contains(10) })
        #expect(recorder.now.keepAlive.isEmpty)
        await recorder.client.stop()
    }

    @Test("A search that has begun continues with what an earlier client learned")
    func remembered() async throws {
        let broker = try await MosquittoBroker()
        var configuration = Self.configuration(port: broker.port)
        var memory = KeepAliveMemory()
        memory.provenMilliseconds = 2000
        memory.failedMilliseconds = 9000
        configuration.rememberedKeepAlive = memory
        let recorder = Recorder(MQTTClient(configuration: configuration, logger: silent))
        let seen = try await recorder.until("a proof") { !$0.keepAlive.isEmpty }
        // 3000 = 2000 × 1.5, which is shorter than the geometric mean.
        let first = try #require(seen.keepAlive.first)
        #expect(first.provenMilliseconds ?? 0 >= 3000 && first.failedMilliseconds == 9000)
        await recorder.client.stop()
    }
}
