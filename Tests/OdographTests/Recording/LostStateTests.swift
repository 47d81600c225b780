import OdographCivilTime
import OdographHarness
import OdographModel
import OdographPositioning
import OdographStore
import Testing
import OdographTracking
import OdographWire

@testable import Odograph

@Suite("The timeline after a loss of the tracker's state")
struct LostStateTests {
    private static let start = "2026-11-20T12:00:00Z"
    private let store: AgentStore

    init() async throws {
        store = try await AgentStore.openInMemory(now: try ScheduleFixture.time(Self.start)).store
    }

    private func fixture(atSecond second: Int) async throws -> RecorderFixture {
        let time = try ScheduleFixture.time(Self.start).advanced(bySeconds: Double(second))
        let moment = ClockReading(
            systemTime: time, uptimeMilliseconds: 1_000_000 + Int64(second) * 1000, isSystemTimeTrusted: true)
        return try await RecorderFixture("{}", at: moment, store: store, boot: "one")
    }

    private func events() async throws -> [TimelineEventRevision] {
        try await store.timelineEvents(from: .earliest, to: .latest).events()
    }

    @Test(
        "Published events keep their identifiers, the open event is ended, and the timeline has no gap",
        arguments: [[], [[1, 2, 3]], [[UInt8]("{}".utf8)]])
    func unreadable(journals: [[UInt8]]) async throws {
        let before = try await fixture(atSecond: 0)
        try await before.drive(seconds: 400, from: 0, at: Self.start)
        await before.recorder.stop()
        let told = try await events()
        #expect(told.last?.endDate == nil && told.last?.type == .inTransport)
        try await store.commit(
            [], journal: [], snapshot: journals.isEmpty ? [1, 2] : nil, now: before.clock.now().systemTime)
        for journal in journals {
            try await store.commit([], journal: journal + [9, 9, 9, 9, 9, 9, 9], now: before.clock.now().systemTime)
        }

        let after = try await fixture(atSecond: 4000)
        try await after.drive(seconds: 400, from: 400, at: Self.start)
        let all = try await events()
        for event in told.dropLast() { #expect(all.contains(event)) }
        let ended = try #require(all.first { $0.eventID == told.last?.eventID })
        #expect(ended.type == .inTransport && !ended.isProvisional)
        #expect(ended.endDate ?? .earliest >= told.last?.lastUpdateDate ?? .latest)
        #expect(ended.lastUpdateDate > told.last?.lastUpdateDate ?? .latest)
        #expect(zip(all, all.dropFirst()).allSatisfy { $0.endDate == $1.startDate }, "\(all)")
        #expect(all.filter(\.isProvisional).count == 1)
        // If the state was readable, the tracker knows that the vehicle was found where it was lost.
        let between = try #require(all.first { $0.startDate == ended.endDate })
        #expect(journals.isEmpty ? between.reason == .powerOff : between.type == .stationary)
        #expect(Set(all.map(\.eventID)).count == all.count && all.count == told.count + 2)
    }
}
