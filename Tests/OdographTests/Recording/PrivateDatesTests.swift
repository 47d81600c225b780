import OdographCivilTime
import OdographGeodesy
import OdographHarness
import OdographModel
import OdographPositioning
import OdographStore
import Testing
import OdographTracking

@testable import Odograph

/// A machine with an unset clock in private time. Its receiver mostly reports the right date.
private struct PrivateBox {
    static let tracking = """
        { schedule: '* 10-20 * * *', time_zone: 'UTC', off_schedule: { mode: 'private' },
          sampling: { minimum_interval: 0, distance: 1, maximum_interval: 1 } }
        """
    let fixture: PipelineFixture
    private let start: Timestamp

    init(at start: String, tracking: String = PrivateBox.tracking, store: AgentStore? = nil) async throws {
        self.start = try ScheduleFixture.time(start)
        let moment = ClockReading(
            systemTime: Timestamp(millisecondsSinceEpoch: 5000), uptimeMilliseconds: 5000, isSystemTimeTrusted: false)
        fixture = try await PipelineFixture(tracking, at: moment, store: store)
    }

    /// Continues the drive with one position a second.
    /// - Parameter dates: Wrong dates by second; all other dates are right.
    func drive(seconds: Range<Int>, dates: [Int: String] = [:], areDated: Bool = true) async throws {
        let fixes = try ScheduleFixture.drive(
            from: "2026-11-20T00:00:00Z", seconds: seconds.count, atSecond: seconds.lowerBound)
        for (second, var fix) in zip(seconds, fixes) {
            fixture.clock.advance(bySeconds: 1)
            fix.timestamp =
                try dates[second].map(ScheduleFixture.time) ?? start.advanced(bySeconds: Double(second))
            fix.received = fixture.clock.now()
            await fixture.pipeline.receive(SourceEvent(areDated ? .fix(fix) : .undatedFix(fix), ordinal: Int64(second)))
        }
    }

    func locations() async throws -> [StoredRecord] {
        try await fixture.store.unacknowledged(limit: 10_000).filter { $0.kind == .location }
    }
}

@Suite("Private time and wrong dates")
struct PrivateDatesTests {
    @Test(
        "One position with a wrong date does not end private time, at any distance from the right date",
        arguments: ["2026-11-20T12:00:00Z", "2026-11-21T12:00:00Z", "1980-01-06T12:00:00Z", "2046-07-06T12:00:00Z"])
    func wrongDate(date: String) async throws {
        let box = try await PrivateBox(at: "2026-11-20T05:00:00Z")
        try await box.drive(seconds: 0..<90, dates: [60: date])
        #expect(try await box.locations().isEmpty)
        #expect(await box.fixture.pipeline.lastLocation == nil)
        #expect(await box.fixture.pipeline.scheduleReport.offSchedule == .private)
        #expect(abs(await box.fixture.pipeline.odometer.meters - 89 * 12) < 60)
        await box.fixture.pipeline.stop()
        #expect(try await box.locations().isEmpty)
    }

    @Test("Positions from before the dates agreed that private time is over are not recorded")
    func opening() async throws {
        let box = try await PrivateBox(at: "2026-11-20T12:00:00Z")
        try await box.drive(seconds: 0..<30)
        #expect(try await box.locations().isEmpty)
        #expect(await box.fixture.pipeline.lastLocation == nil)
        try await box.drive(seconds: 30..<60)
        let first = try #require(try await box.locations().first)
        #expect(first.timestamp >= (try ScheduleFixture.time("2026-11-20T12:00:30Z")))
        await box.fixture.pipeline.stop()
    }

    @Test("Private time begins and ends at its minute if the dates agree")
    func boundaries() async throws {
        let box = try await PrivateBox(at: "2026-11-20T09:59:00Z")
        try await box.drive(seconds: 0..<90)
        let opened = try #require(try await box.locations().first)
        #expect(opened.timestamp == (try ScheduleFixture.time("2026-11-20T10:00:00Z")))
        await box.fixture.pipeline.stop()
        let closing = try await PrivateBox(at: "2026-11-20T20:58:30Z")
        try await closing.drive(seconds: 0..<120)
        let last = try #require(try await closing.locations().map(\.timestamp).max())
        #expect(last <= (try ScheduleFixture.time("2026-11-20T21:00:00Z")))
        await closing.fixture.pipeline.stop()
    }

    @Test(
        "While the time is unknown, no position of private time reaches the disk, and its distance counts",
        arguments: ["open", "closed"])
    func undated(word: String) async throws {
        let folder = try TemporaryFolder()
        let store = try await AgentStore.open(
            at: folder.file("agent.db"), now: Timestamp(millisecondsSinceEpoch: 5000)
        ).store
        let tracking = """
            { schedule: '* 10-20 * * *', time_zone: 'UTC', off_schedule: { mode: 'private' },
              schedule_before_time: '\(word)' }
            """
        let box = try await PrivateBox(at: "2026-11-20T05:00:00Z", tracking: tracking, store: store)
        try await box.drive(seconds: 0..<200, areDated: false)
        #expect(try leaks(in: folder) == [])
        // The receiver now reports the time, which is private.
        try await box.drive(seconds: 200..<260)
        #expect(try await box.locations().isEmpty)
        #expect(abs(await box.fixture.pipeline.odometer.meters - 259 * 12) < 60)
        await box.fixture.pipeline.stop()
        #expect(try leaks(in: folder) == [])
    }

    private func leaks(in folder: TemporaryFolder) throws -> [LeakSearch.Find] {
        let places = try ScheduleFixture.drive(from: "2026-11-20T00:00:00Z", seconds: 260).dropFirst().map {
            LeakSearch.Place(latitude: $0.coordinate.latitudeDegrees, longitude: $0.coordinate.longitudeDegrees)
        }
        let search = LeakSearch(places)
        return try ["agent.db", "agent.db-wal"].flatMap {
            search.finds(in: try FileContents.bytes(folder.file($0)))
        }
    }
}
