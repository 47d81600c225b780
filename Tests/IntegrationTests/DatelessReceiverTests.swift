import CivilTime
import Harness
import Positioning
import Testing
import Wire

/// A machine that is synchronised dates positions at once.
private let isClockSet = SystemAgentClock().now().isSystemTimeTrusted

@Suite("A machine that does not know the time, and a receiver that does not say it", .disabled(if: isClockSet))
struct DatelessReceiverTests {
    private static func configuration(_ broker: MosquittoBroker, _ receiver: DrivingReceiver) -> String {
        AgentProcess.configuration(
            broker: broker.port, source: "{ gpsd: { host: \"127.0.0.1\", port: \(receiver.port) } }",
            tracking: "{ sampling: { minimum_interval: 1, distance: 5, maximum_interval: 5 } }")
    }

    @Test("Killed while its positions wait for their date, and started anew, it tells all of them with the right one")
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
            let isHeard = try await eventually(within: 60) {
                agent.child.errors.contains("reports positions") ? true : nil
            }
            #expect(isHeard != nil, "\(agent.child.errors)")
            try await Task.sleep(for: .seconds(3))
            try await agent.kill()
            firstKilled = firstKilled ?? SystemAgentClock().now().systemTime
        }
        #expect(try subscriber.records().isEmpty)
        let last = try AgentProcess(folder: folder, configuration: configuration)
        _ = try await eventually(within: 60) { last.child.errors.contains("reports positions") ? true : nil }
        receiver.become(.right)
        let told = SystemAgentClock().now().systemTime
        let isLive = try await eventually(within: 60) {
            try subscriber.locations().contains { $0.event.timestamp > told && $0.topic.hasSuffix("/location") }
                ? true : nil
        }
        #expect(isLive != nil, "\(last.child.errors)")
        #expect(try await last.stop() == .exited(0))

        let locations = try subscriber.locations()
        let waited = locations.filter { $0.event.timestamp < told }
        #expect(waited.count >= 8)
        // The newest of them was captured a moment ago.
        #expect(waited.count { !$0.topic.hasSuffix("/backlog") } <= 1)
        let first = try #require(locations.map(\.event).min { $0.timestamp < $1.timestamp })
        // The oldest is from the first of the agents.
        let latest = try #require(firstKilled)
        #expect(first.timestamp >= begin && first.timestamp <= latest)
        for (_, event, _) in locations {
            #expect(event.clockUntrusted == nil)
            // Where it was at that time: dated to the second.
            let meters = (event.coords.longitude - first.coords.longitude) * DrivingReceiver.metersPerDegree
            let expected = event.timestamp.seconds(since: first.timestamp) * DrivingReceiver.speed
            #expect(abs(meters - expected) < DrivingReceiver.speed)
        }
        let seqs = locations.sorted { $0.event.timestamp < $1.event.timestamp }.compactMap(\.event.seq)
        #expect(seqs == seqs.sorted() && Set(seqs).count == seqs.count)
    }
}
