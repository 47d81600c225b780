import OdographCivilTime
import FoundationEssentials
import Glibc
import OdographHarness
import Logging
import Odograph
import OdographJSON
import Testing
import OdographWire

/// A copy of the timeline according to the contract: unknown events are inserted, and newer revisions replace older.
private struct TimelineCopy {
    private(set) var events: [String: TimelineEventRevision] = [:]
    private(set) var lastUpdate = Timestamp(millisecondsSinceEpoch: 0)
    /// The number of times that each revision was inserted.
    private(set) var taken: [String: Int] = [:]

    mutating func take(_ event: TimelineEventRevision, isUpdate: Bool) {
        if let known = events[event.eventID], known.lastUpdateDate >= event.lastUpdateDate { return }
        events[event.eventID] = event
        taken["\(event.eventID) \(event.revision)", default: 0] += 1
        // Query results overlap with updates. Only updates arrive in order, so only they move the mark.
        if isUpdate { lastUpdate = max(lastUpdate, event.lastUpdateDate) }
    }

    mutating func caughtUp() {
        lastUpdate = max(lastUpdate, events.values.map(\.lastUpdateDate).max() ?? lastUpdate)
    }
}

@Suite("A copy of the timeline that is kept by subscribing and catching up")
struct TimelineCopyTests {
    /// Subscribes repeatedly for a short time, and catches up from the mark each time.
    private func keep(_ agent: Agent, seed: UInt64) async throws -> TimelineCopy {
        var random = SplitMix64(seed: seed)
        var copy = TimelineCopy()
        var isLast = false
        while !isLast {
            isLast = await agent.hasSourceEnded
            let updates = await agent.timelineUpdates
            for event in try await agent.timelineUpdates(after: copy.lastUpdate) { copy.take(event, isUpdate: false) }
            copy.caughtUp()
            if isLast { break }
            let listening = Task {
                var heard: [TimelineEventRevision] = []
                for await event in updates { heard.append(event) }
                return heard
            }
            try await Task.sleep(for: .milliseconds(Int.random(in: 1...400, using: &random)))
            listening.cancel()
            let events = await listening.value
            #expect(zip(events, events.dropFirst()).allSatisfy { $0.lastUpdateDate < $1.lastUpdateDate })
            for event in events { copy.take(event, isUpdate: true) }
            // The next query returns the updates of this pause.
            try await Task.sleep(for: .milliseconds(Int.random(in: 0...100, using: &random)))
        }
        return copy
    }

    @Test("The copy has no missing and no repeated revision after any number of pauses", .timeLimit(.minutes(5)))
    func complete() async throws {
        let folder = try TemporaryFolder()
        try folder.write(Capture.rounds(12), to: "drive.jsonl")
        let text = AgentProcess.configuration(
            broker: try FreePort.next(), source: "{ replay: { file: \"drive.jsonl\", speed: 1500 } }", tracking: "{}")
        let agent = Agent(
            configuration: try ConfigurationFile.load(try folder.write(text, to: "agent.json5")),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        try await agent.start()
        let copies = try await withThrowingTaskGroup(of: TimelineCopy.self) { group in
            for seed in 1...6 {
                group.addTask { try await keep(agent, seed: UInt64(seed)) }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        let truth = try await agent.timelineEvents(
            from: Timestamp(millisecondsSinceEpoch: 0), to: Timestamp(millisecondsSinceEpoch: 1 << 50))
        #expect(truth.count >= 20)
        #expect(zip(truth, truth.dropFirst()).allSatisfy { $0.endDate == $1.startDate })
        for copy in copies {
            #expect(copy.events.values.sorted { $0.startDate < $1.startDate } == truth)
            #expect(copy.taken.values.allSatisfy { $0 == 1 })
        }
        let first = try #require(truth.first)
        #expect(try await agent.timelineEvent(id: first.eventID) == first)
        #expect(try await agent.timelineEvent(id: "none") == nil)
        await agent.stop()
    }

    /// Queries all revisions after a time over MQTT, with as many requests as necessary.
    private func updates(_ desk: BrokerOperator, after: Timestamp) async throws -> [TimelineEventRevision] {
        var events: [TimelineEventRevision] = []
        while true {
            let mark = events.last?.lastUpdateDate ?? after
            let answer = try await desk.ask(
                Self.command("get_timeline_updates", ", \"after\": \"\(mark.iso8601)\", \"limit\": 7"), of: Self.topic)
            #expect(answer.isSuccess, "\(answer)")
            events += try JSONDecoder().decode(
                [TimelineEventRevision].self, from: JSONEncoder().encode(answer.members["timeline_events"] ?? .null))
            if answer.members["more"] != .bool(true) { return events }
        }
    }

    private static let topic = "fleet/acme/van-7/command"

    /// Returns a command with a new id, because each id is answered only once.
    private static func command(_ action: String, _ parameters: String = "") -> String {
        "{\"id\": \"\(UInt64.random(in: 0 ... .max))\", \"action\": \"\(action)\"\(parameters)}"
    }

    /// Waits until the agent answers. A command is lost while the agent is not connected.
    private func waitForAgent(_ desk: BrokerOperator) async throws {
        for _ in 1...6 where (try? await desk.ask(Self.command("get_status"), of: Self.topic)) != nil { return }
        throw HarnessError("the agent does not answer")
    }

    @Test("The copy is also complete over a broker with outages", .timeLimit(.minutes(5)))
    func overBroker() async throws {
        let broker = try await MosquittoBroker.durable()
        let agent = try AgentProcess.replaying(Capture.rounds(12), speed: 300, to: broker, tracking: "{}")
        let desk = BrokerOperator(port: broker.port)
        var random = SplitMix64(seed: 5)
        var copy = TimelineCopy()
        var isLast = false
        var round = 0
        while !isLast {
            round += 1
            if round % 3 == 0 {
                // Undelivered updates arrive late, among new ones.
                try await broker.stop()
                try await Task.sleep(for: .milliseconds(Int.random(in: 200...1500, using: &random)))
                try await broker.start()
            }
            try await waitForAgent(desk)
            isLast = agent.child.errors.contains("has ended")
            let listener = try await TimelineListener(port: broker.port)
            for event in try await updates(desk, after: copy.lastUpdate) { copy.take(event, isUpdate: false) }
            copy.caughtUp()
            try await Task.sleep(for: .milliseconds(Int.random(in: 1...1500, using: &random)))
            for event in try await listener.stop() { copy.take(event, isUpdate: true) }
            try await Task.sleep(for: .milliseconds(Int.random(in: 0...300, using: &random)))
        }
        let truth = try await updates(desk, after: Timestamp(millisecondsSinceEpoch: 0))
        #expect(truth.count >= 20, "\(agent.child.errors)")
        #expect(copy.events.values.sorted { $0.lastUpdateDate < $1.lastUpdateDate } == truth)
        #expect(copy.taken.values.allSatisfy { $0 == 1 })
        #expect(try await agent.stop() == .exited(0))
    }
}

/// A client that subscribes to a vehicle's timeline for a while without a persistent session.
private struct TimelineListener {
    private let child: ChildProcess

    init(port: UInt16) async throws {
        child = try ChildProcess(
            "stdbuf",
            ["-oL", "mosquitto_sub", "-p", "\(port)", "-q", "1", "-d", "-F", "%p", "-t", "fleet/acme/van-7/timeline/#"])
        let child = child
        guard try await eventually({ child.output.contains("SUBACK") ? true : nil }) != nil else {
            throw HarnessError("no subscription: \(child.output) \(child.errors)")
        }
    }

    /// Disconnects.
    /// - Returns: The received revisions in order. The retained one is first.
    func stop() async throws -> [TimelineEventRevision] {
        child.send(SIGTERM)
        _ = try await child.wait()
        return child.output.split(separator: "\n").filter { $0.hasPrefix("{") }.compactMap { line in
            // The last line may be truncated.
            try? JSONDecoder().decode(TimelineMessage.self, from: Data(line.utf8)).timelineEvent
        }
    }
}
