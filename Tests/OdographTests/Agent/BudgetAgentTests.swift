import OdographCivilTime
import OdographHarness
import OdographJSON
import OdographStore
import OdographWire
import Testing

@testable import Odograph

@Suite("An agent with a traffic budget")
struct BudgetAgentTests {
    private static let every = "sampling: { minimum_interval: 0, distance: 1 }"

    /// Makes a drive whose budget is used up before its first connection.
    private static func exhausted(_ folder: TemporaryFolder, until end: String = "2026-12-01T00:00:00Z") async throws {
        try folder.write(Capture.drive(seconds: 300), to: "drive.jsonl")
        let store = try await AgentStore.open(
            at: folder.file("agent.db"), now: try ScheduleFixture.time("2026-11-20T08:00:00Z")
        ).store
        var memory = LinkBudget.Memory()
        memory.start = try ScheduleFixture.time("2026-11-01T00:00:00Z")
        memory.end = try ScheduleFixture.time(end)
        (memory.bytes, memory.limit, memory.step) = (60_000, 50_000, .exhausted)
        try await store.saveDocument(DocumentName.linkBudget, try JSONCoder.bytes(of: memory))
        try await store.close()
    }

    private static func vehicle(_ port: UInt16, _ folder: TemporaryFolder, tracking: String = "") throws -> ClockedAgent
    {
        try ClockedAgent(
            broker: port, source: "{ replay: { file: \"drive.jsonl\", speed: \"max\" } }",
            tracking: "{ time_zone: \"UTC\", monthly_budget: { bytes: 50000 }, \(every), \(tracking) }", in: folder)
    }

    @Test("Locations wait until the next period, which begins without a further event", .timeLimit(.minutes(5)))
    func nextPeriod() async throws {
        let broker = try await MosquittoBroker()
        let folder = try TemporaryFolder()
        try await Self.exhausted(folder)
        let vehicle = try Self.vehicle(broker.port, folder)
        try await vehicle.agent.start()
        #expect(await vehicle.agent.currentProblems.map(\.code) == [.budgetExhausted])
        let isRecorded = try await eventually { await vehicle.agent.hasSourceEnded ? true : nil }
        #expect(isRecorded != nil)
        // Timeline and geofence events go.
        let locations = try await eventually { () -> Int? in
            // A revision that says only that a trip lasts waits for its batch.
            vehicle.clock.advance(bySeconds: 60)
            let store = await vehicle.agent.parts?.store
            let waiting = try await store?.unacknowledged(limit: 1000) ?? []
            return !waiting.isEmpty && waiting.allSatisfy { $0.kind == .location } ? waiting.count : nil
        }
        #expect(locations ?? 0 > 200)
        let state = try #require(await vehicle.agent.parts?.publisher.budgetState)
        #expect(state.step == .exhausted)
        #expect(state.overshoot > 10_000)
        // The time of the report, and after it the new period.
        vehicle.clock.set(try ScheduleFixture.time("2026-12-01T00:00:01Z"))
        let isDelivered = try await eventually { () -> Bool? in
            vehicle.clock.advance(bySeconds: 10)
            return try await vehicle.depth() == 0 ? true : nil
        }
        #expect(isDelivered != nil)
        #expect(try await vehicle.isSettled(.budgetExhausted))
        let next = try #require(await vehicle.agent.parts?.publisher.budgetState)
        #expect(next.from == (try ScheduleFixture.time("2026-12-01T00:00:00Z")))
        #expect(next.bytes < 40_000, "\(next)")
        await vehicle.agent.stop()
    }

    @Test("A larger budget releases what waits, and none removes the problem", .timeLimit(.minutes(5)))
    func raised() async throws {
        let broker = try await MosquittoBroker()
        let folder = try TemporaryFolder()
        try await Self.exhausted(folder)
        let vehicle = try Self.vehicle(broker.port, folder)
        try await vehicle.agent.start()
        let isRecorded = try await eventually { await vehicle.agent.hasSourceEnded ? true : nil }
        #expect(isRecorded != nil)
        #expect(try await vehicle.depth() > 200)
        try await vehicle.agent.updateTrackingSettings { $0.monthlyBudget.bytes = 130_000 }
        let isDelivered = try await eventually { try await vehicle.depth() == 0 ? true : nil }
        #expect(isDelivered != nil)
        #expect(await !vehicle.agent.currentProblems.contains { $0.code == .budgetExhausted })
        try await vehicle.agent.updateTrackingSettings { $0.monthlyBudget.bytes = 80_000 }
        let isTight = try await eventually {
            let codes = await vehicle.agent.currentProblems.map(\.code)
            return codes.contains(.budgetLow) || codes.contains(.budgetExhausted) ? true : nil
        }
        #expect(isTight != nil)
        try await vehicle.agent.updateTrackingSettings { $0.monthlyBudget.bytes = 0 }
        #expect(try await vehicle.isSettled(.budgetLow))
        #expect(try await vehicle.isSettled(.budgetExhausted))
        #expect(await vehicle.agent.parts?.publisher.budgetState == nil)
        await vehicle.agent.stop()
    }

    @Test("Records that wait for the budget are given up when they are too old, and are named", .timeLimit(.minutes(5)))
    func retention() async throws {
        let broker = try await MosquittoBroker()
        let folder = try TemporaryFolder()
        try await Self.exhausted(folder)
        let vehicle = try Self.vehicle(broker.port, folder, tracking: "retention: 86400")
        try await vehicle.agent.start()
        let isRecorded = try await eventually { await vehicle.agent.hasSourceEnded ? true : nil }
        #expect(isRecorded != nil)
        let store = try #require(await vehicle.agent.parts?.store)
        #expect(try await vehicle.depth() > 200)
        vehicle.clock.advance(bySeconds: 90_000)
        let ledger = try await eventually { () -> [LedgerEntry]? in
            vehicle.clock.advance(bySeconds: 600)
            let ledger = await store.ledger()
            return ledger.isEmpty ? nil : ledger
        }
        #expect(ledger?.allSatisfy { $0.reason == .retention } == true)
        let isDone = try await eventually { try await vehicle.depth() <= 1 ? true : nil }
        #expect(isDone != nil)
        #expect(await vehicle.agent.parts?.publisher.budgetState?.step == .exhausted)
        await vehicle.agent.stop()
    }

    @Test("A count that cannot be read is reported, and begins again", .timeLimit(.minutes(5)))
    func unreadable() async throws {
        let folder = try TemporaryFolder()
        try await Self.exhausted(folder)
        let store = try await AgentStore.open(at: folder.file("agent.db"), now: .now).store
        try await store.saveDocument(DocumentName.linkBudget, Array("{ half".utf8))
        try await store.close()
        let vehicle = try Self.vehicle(try FreePort.next(), folder)
        try await vehicle.agent.start()
        let problem = await vehicle.agent.currentProblems.first { $0.code == .documentUnreadable }
        #expect(problem?.text.contains("the saved count of the traffic") == true)
        #expect(await vehicle.agent.parts?.publisher.budgetState?.step == .normal)
        await vehicle.agent.stop()
    }

    @Test("A stop saves the last bytes, and without a budget there is no count", .timeLimit(.minutes(5)))
    func saved() async throws {
        let broker = try await MosquittoBroker()
        let folder = try TemporaryFolder()
        let tracking = "{ time_zone: \"UTC\", monthly_budget: { bytes: 100000000 } }"
        func document() async throws -> LinkBudget.Memory? {
            let store = try await AgentStore.open(at: folder.file("agent.db"), now: .now).store
            let bytes = try await store.document(DocumentName.linkBudget)
            try await store.close()
            return try bytes.map { try JSONCoder.decode(LinkBudget.Memory.self, from: $0) }
        }
        func run(_ tracking: String) async throws {
            let vehicle = try ClockedAgent(broker: broker.port, tracking: tracking, in: folder)
            try await vehicle.agent.start()
            let isOnline = try await eventually {
                await vehicle.agent.parts?.publisher.isConnected == true ? true : nil
            }
            #expect(isOnline != nil)
            await vehicle.agent.stop()
        }
        try await run("{}")
        #expect(try await document() == nil)
        try await run(tracking)
        let first = try #require(try await document())
        // Handshake, status, subscriptions, and the end.
        #expect((1000...30_000).contains(first.bytes), "\(first)")
        try await run("{}")
        // The count of the period remains. It belongs to no budget.
        var idle = first
        idle.limit = 0
        #expect(first.limit == 100_000_000)
        #expect(try await document() == idle)
        try await run(tracking)
        let second = try #require(try await document())
        #expect((first.bytes + 1000...first.bytes + 30_000).contains(second.bytes), "\(second)")
    }
}
