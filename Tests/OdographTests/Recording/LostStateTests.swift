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

    private func fixture(atSecond second: Int) async throws -> PipelineFixture {
        let time = try ScheduleFixture.time(Self.start).advanced(bySeconds: Double(second))
        let moment = ClockReading(
            systemTime: time, uptimeMilliseconds: 1_000_000 + Int64(second) * 1000, isSystemTimeTrusted: true)
        return try await PipelineFixture("{}", at: moment, store: store, boot: "one")
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
        await before.pipeline.stop()
        let told = try await events()
        #expect(told.last?.endDate == nil && told.last?.type == .inTransport)
        try await store.commit(
            journal: [], snapshot: journals.isEmpty ? [1, 2] : nil, now: before.clock.now().systemTime)
        for journal in journals {
            try await store.commit(journal: journal + [9, 9, 9, 9, 9, 9, 9], now: before.clock.now().systemTime)
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

    @Test("The first record after the loss of the database says so, and the second one does not")
    func deleted() async throws {
        let folder = try TemporaryFolder()
        var marks: [[Bool]] = []
        for run in 0..<2 {
            let time = try ScheduleFixture.time(Self.start).advanced(bySeconds: Double(run) * 1000)
            let (store, _) = try await AgentStore.open(at: folder.file("agent.db"), now: time)
            let moment = ClockReading(systemTime: time, uptimeMilliseconds: 1_000_000, isSystemTimeTrusted: true)
            let vehicle = try await PipelineFixture("{}", at: moment, store: store)
            try await vehicle.drive(seconds: 200, from: 0, at: Self.start)
            await vehicle.pipeline.commit()
            marks.append(
                try await store.unacknowledged(limit: 1000).map {
                    String(decoding: $0.payload, as: UTF8.self).contains(#""state_lost":true"#)
                })
            await vehicle.pipeline.stop()
            try await store.close()
            try await ChildProcess.run("sh", ["-c", "rm \(folder.path)/agent.db \(folder.path)/agent.db-wal"])
        }
        #expect(marks[0].allSatisfy { !$0 } && marks[0].count > 1)
        #expect(marks[1].first == true && marks[1].dropFirst().allSatisfy { !$0 } && marks[1].count > 1)
    }

    /// A consumer that keeps the newest revision of each event, as the power is cut.
    @Test("After a power cut that takes back commits, a consumer keeps nothing stale, and the first record says so")
    func takenBack() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("agent.db")
        func open(atSecond second: Int) async throws -> PipelineFixture {
            let time = try ScheduleFixture.time(Self.start).advanced(bySeconds: Double(second))
            let moment = ClockReading(
                systemTime: time, uptimeMilliseconds: 1_000_000 + Int64(second) * 1000, isSystemTimeTrusted: true)
            let (store, _) = try await AgentStore.open(
                at: path, options: StoreOptions(synchronous: .normal), now: time)
            return try await PipelineFixture("{}", at: moment, store: store, boot: "boot \(second)")
        }
        func events(of store: AgentStore) async throws -> [TimelineEventRevision] {
            try await store.timelineEvents(from: .earliest, to: .latest).events()
        }
        let before = try await open(atSecond: 0)
        try await before.drive(seconds: 400, from: 0, at: Self.start)
        await before.pipeline.commit()
        try await ChildProcess.run(
            "sh", ["-c", "cd \(folder.path) && mkdir earlier && cp agent.db agent.db-wal earlier"])
        // The trip ends, a stop begins, and another trip.
        try await before.stand(seconds: 900, at: 400)
        try await before.drive(seconds: 300, from: 400, at: Self.start)
        await before.pipeline.commit()
        let told = try await events(of: before.store)
        #expect(told.count >= 3)
        let lastSeq = try await before.store.statistics().newestSeq
        try await before.store.close()
        try await ChildProcess.run("sh", ["-c", "cd \(folder.path) && cp earlier/* ."])

        let after = try await open(atSecond: 4000)
        try await after.drive(seconds: 400, from: 400, at: Self.start)
        await after.pipeline.commit()
        let all = try await events(of: after.store)
        let latest = try #require(told.map(\.lastUpdateDate).max())
        for event in all {
            guard let known = told.first(where: { $0.eventID == event.eventID }) else { continue }
            guard event != known else { continue }
            #expect(event.revision > known.revision && event.lastUpdateDate > latest)
            #expect(event.endDate != nil && !event.isProvisional)
        }
        #expect(all.contains { event in told.allSatisfy { $0.eventID != event.eventID } })
        let first = try await after.store.unacknowledged(limit: 1000).first { $0.seq > lastSeq }
        #expect(first.map { String(decoding: $0.payload, as: UTF8.self) }?.contains(#""state_lost":true"#) == true)
        #expect(zip(all, all.dropFirst()).allSatisfy { $0.endDate == $1.startDate }, "\(all)")
        try await after.store.close()
    }
}
