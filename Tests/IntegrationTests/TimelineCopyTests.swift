import CivilTime
import Harness
import Logging
import Odograph
import Testing
import Wire

/// A copy of the timeline by the rule of the contract: an unknown event is inserted, a known one replaced by what is newer.
private struct TimelineCopy {
    private(set) var events: [String: TimelineEventRevision] = [:]
    private(set) var lastUpdate = Timestamp(millisecondsSinceEpoch: 0)
    /// Every revision that was taken, as often as it was.
    private(set) var taken: [String: Int] = [:]

    mutating func take(_ event: TimelineEventRevision, isUpdate: Bool) {
        if let known = events[event.eventID], known.lastUpdateDate >= event.lastUpdateDate { return }
        events[event.eventID] = event
        taken["\(event.eventID) \(event.revision)", default: 0] += 1
        // What the query gives comes beside what is listened to: only the latter moves the mark, as it is in order.
        if isUpdate { lastUpdate = max(lastUpdate, event.lastUpdateDate) }
    }

    mutating func caughtUp() {
        lastUpdate = max(lastUpdate, events.values.map(\.lastUpdateDate).max() ?? lastUpdate)
    }
}

@Suite("A copy of the timeline that is kept by subscribing and catching up")
struct TimelineCopyTests {
    /// Listens for a while again and again, each time from where it was.
    private func keep(_ agent: Agent, seed: UInt64) async throws -> TimelineCopy {
        var random = SplitMix64(seed: seed)
        var copy = TimelineCopy()
        var isLast = false
        while !isLast {
            isLast = await agent.isAtEnd
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
            // Away for a moment: what happens now is caught up with.
            try await Task.sleep(for: .milliseconds(Int.random(in: 0...100, using: &random)))
        }
        return copy
    }

    @Test("It loses nothing and doubles nothing, whenever it comes and goes", .timeLimit(.minutes(5)))
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
}
