import OdographCivilTime
import OdographHarness
import Testing
import OdographWire

@Suite("Time off the grid")
struct OffTheGridTests {
    /// The shortest gap that can be configured, in seconds.
    private static let gapSeconds = 30.0

    private static func configuration(_ broker: MosquittoBroker, _ receiver: DrivingReceiver) -> String {
        AgentProcess.configuration(
            broker: broker.port, source: "{ gpsd: { host: \"127.0.0.1\", port: \(receiver.port) } }",
            tracking: "{ timeline: { gap: \(gapSeconds) } }")
    }

    @Test(
        "The reason is the receiver's state, and the event becomes final without a gap when the vehicle drives again",
        arguments: [
            (DrivingReceiver.Mood.noFix, TimelineEventRevision.GapReason.noFix), (.gone, .sourceLost),
            (.stuckDate, .clockUntrusted),
        ])
    func receiver(mood: DrivingReceiver.Mood, reason: TimelineEventRevision.GapReason) async throws {
        let broker = try await MosquittoBroker()
        let subscriber = try await Subscriber(port: broker.port)
        let receiver = try DrivingReceiver()
        defer { receiver.stop() }
        receiver.become(.right)
        let agent = try AgentProcess(folder: TemporaryFolder(), configuration: Self.configuration(broker, receiver))
        try await check(subscriber, agent, reason: reason) {
            receiver.become(mood)
        } end: {
            receiver.become(.right)
        }
        #expect(try await agent.stop() == .exited(0))
    }

    @Test("An agent that was killed detects at its start that it was off")
    func powerOff() async throws {
        let broker = try await MosquittoBroker()
        let subscriber = try await Subscriber(port: broker.port)
        let receiver = try DrivingReceiver()
        defer { receiver.stop() }
        receiver.become(.right)
        let folder = try TemporaryFolder()
        let configuration = Self.configuration(broker, receiver)
        let agent = try AgentProcess(folder: folder, configuration: configuration)
        var again: AgentProcess?
        try await check(subscriber, agent, reason: .powerOff) {
            try await agent.kill()
            try await Task.sleep(for: .seconds(Self.gapSeconds + 5))
            again = try AgentProcess(folder: folder, configuration: configuration)
        } end: {
        }
        #expect(try await again?.stop() == .exited(0))
    }

    private func check(
        _ subscriber: Subscriber, _ agent: AgentProcess, reason: TimelineEventRevision.GapReason,
        begin: () async throws -> Void,
        end: () async throws -> Void
    ) async throws {
        let isUnderWay = try await eventually { try subscriber.revisions().isEmpty ? nil : true }
        #expect(isUnderWay != nil, "\(agent.child.errors)")
        try await begin()
        let absence = try await eventually {
            try subscriber.revisions().map(\.event).first { $0.type == .offTheGrid }
        }
        let event = try #require(absence, "\(agent.child.errors)")
        #expect(event.reason == reason)
        try await end()
        let final = try await eventually {
            try subscriber.revisions().map(\.event).first { $0.eventID == event.eventID && !$0.isProvisional }
        }
        let known = try #require(final, "\(agent.child.errors)")
        #expect(known.type == .offTheGrid && known.reason == reason && known.startDate == event.startDate)
        #expect(known.duration >= Self.gapSeconds - 5 && known.endDate != nil)
        _ = try await eventually {
            try subscriber.revisions().contains { $0.event.startDate == known.endDate } ? true : nil
        }
        let newest = Dictionary(try subscriber.revisions().map { ($0.event.eventID, $0.event) }) {
            $0.revision > $1.revision ? $0 : $1
        }.values.sorted { $0.startDate < $1.startDate }
        #expect(newest.count >= 3 && newest.last?.endDate == nil)
        #expect(zip(newest, newest.dropFirst()).allSatisfy { $0.endDate == $1.startDate }, "\(newest)")
    }
}
