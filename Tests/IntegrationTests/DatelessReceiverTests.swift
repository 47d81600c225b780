import OdographCivilTime
import OdographHarness
import OdographModel
import OdographPositioning
import Testing
import OdographWire

/// Whether the system time is synchronised. In that case the agent dates positions at once.
private let isClockSet = SystemAgentClock().now().isSystemTimeTrusted

@Suite("A machine with an unknown time and a receiver without dates", .disabled(if: isClockSet))
struct DatelessReceiverTests {
    private static func configuration(_ broker: MosquittoBroker, _ receiver: DrivingReceiver) -> String {
        AgentProcess.configuration(
            broker: broker.port, source: "{ gpsd: { host: \"127.0.0.1\", port: \(receiver.port) } }",
            tracking: "{ sampling: { minimum_interval: 1, distance: 5, maximum_interval: 5 } }")
    }

    @Test("After kills during the wait for a date, every position is published with its right date")
    func killed() async throws {
        let broker = try await MosquittoBroker()
        let subscriber = try await Subscriber(port: broker.port)
        let folder = try TemporaryFolder()
        let receiver = try DrivingReceiver()
        defer { receiver.stop() }
        let configuration = Self.configuration(broker, receiver)
        let begin = SystemAgentClock().now().systemTime
        var firstKilled: Timestamp?
        for _ in 0..<3 {
            let agent = try AgentProcess(folder: folder, configuration: configuration)
            let isHeard = try await eventually {
                agent.child.errors.contains("reports positions") ? true : nil
            }
            #expect(isHeard != nil, "\(agent.child.errors)")
            try await Task.sleep(for: .seconds(3))
            try await agent.kill()
            firstKilled = firstKilled ?? SystemAgentClock().now().systemTime
        }
        #expect(try subscriber.records().isEmpty)
        let last = try AgentProcess(folder: folder, configuration: configuration)
        _ = try await eventually { last.child.errors.contains("reports positions") ? true : nil }
        receiver.become(.right)
        let told = SystemAgentClock().now().systemTime
        let isLive = try await eventually {
            try subscriber.locations().contains { $0.event.timestamp > told && $0.topic.hasSuffix("/location") }
                ? true : nil
        }
        #expect(isLive != nil, "\(last.child.errors)")
        #expect(try await last.stop() == .exited(0))

        let locations = try subscriber.locations()
        let waited = locations.filter { $0.event.timestamp < told }
        #expect(waited.count >= 8)
        // Only the newest one was captured recently.
        #expect(waited.count { !$0.topic.hasSuffix("/backlog") } <= 1)
        let first = try #require(locations.map(\.event).min { $0.timestamp < $1.timestamp })
        // The oldest position is from the first agent.
        let latest = try #require(firstKilled)
        #expect(first.timestamp >= begin && first.timestamp <= latest)
        for (_, event, _) in locations {
            #expect(event.clockUntrusted == nil)
            // The position at that time: the date is right to the second.
            let meters = (event.coords.longitude - first.coords.longitude) * DrivingReceiver.metersPerDegree
            let expected = event.timestamp.seconds(since: first.timestamp) * DrivingReceiver.speed
            #expect(abs(meters - expected) < DrivingReceiver.speed)
        }
        let seqs = locations.sorted { $0.event.timestamp < $1.event.timestamp }.compactMap(\.event.seq)
        #expect(seqs == seqs.sorted() && Set(seqs).count == seqs.count)
    }
}
