import OdographCivilTime
import OdographGeodesy
import OdographHarness
import OdographModel
import OdographPositioning
import OdographStore
import OdographWire
import Testing
import OdographTracking

@testable import Odograph

@Suite("Suspended tracking: mode `stop`, and `enabled: false`")
struct SuspendedTimeTests {
    private static let sampling = "sampling: { minimum_interval: 0, distance: 1, maximum_interval: 1 }"
    private static let open = "{ \(sampling) }"
    /// Settings that suspend tracking at any date, also while the date is unknown.
    private static let suspending = [
        "{ \(sampling), enabled: false }",
        """
        { \(sampling), schedule: '0 0 1 1 *', time_zone: 'UTC', schedule_before_time: 'closed',
          off_schedule: { mode: 'stop' } }
        """,
    ]

    /// Continues the drive with one position a second.
    private static func drive(_ run: PipelineFixture, seconds: Range<Int>, areDated: Bool) async throws {
        for var fix in try places(of: seconds) {
            run.clock.advance(bySeconds: 1)
            fix.received = run.clock.now()
            fix.timestamp = run.clock.now().systemTime
            let ordinal = run.clock.now().uptimeMilliseconds
            await run.pipeline.receive(SourceEvent(areDated ? .fix(fix) : .undatedFix(fix), ordinal: ordinal))
        }
    }

    /// Returns a drive to the north-east, on which no two positions have an axis in common.
    private static func places(of seconds: Range<Int>) throws -> [Fix] {
        let start = try ScheduleFixture.time("2026-11-20T08:00:00Z")
        return try seconds.map { second in
            let time = start.advanced(bySeconds: Double(second))
            let (north, east) = (Double(second) * 0.000_083_1, Double(second) * 0.000_072_7)
            return Fix(
                timestamp: time, received: ClockReading(replayed: time),
                coordinate: try #require(
                    Coordinate(
                        latitudeDegrees: ((47.612_345_6 + north) * 1e7).rounded() / 1e7,
                        longitudeDegrees: ((121.512_345_6 + east) * 1e7).rounded() / 1e7)),
                accuracyMeters: 4, speedMetersPerSecond: 11, headingDegrees: 31)
        }
    }

    private static func search(_ seconds: Range<Int>) throws -> LeakSearch {
        LeakSearch(
            try places(of: seconds).map {
                LeakSearch.Place(latitude: $0.coordinate.latitudeDegrees, longitude: $0.coordinate.longitudeDegrees)
            })
    }

    @Test(
        "While tracking is suspended, a date that is not known for a minute is a problem, and ends with the date",
        arguments: suspending)
    func timeUnknown(settings: String) async throws {
        let moment = ClockReading(
            systemTime: Timestamp(millisecondsSinceEpoch: 0), uptimeMilliseconds: 5000, isSystemTimeTrusted: false)
        let run = try await PipelineFixture(settings, at: moment, boot: "boot")
        try await Self.drive(run, seconds: 1..<55, areDated: false)
        #expect(run.problems.current.isEmpty)
        try await Self.drive(run, seconds: 55..<70, areDated: false)
        let problem = try #require(run.problems.current.first)
        #expect(problem.code == .timeUnknown && problem.text.contains("reports no date"))
        try await Self.drive(run, seconds: 70..<80, areDated: true)
        #expect(run.problems.current.isEmpty)
        await run.pipeline.stop()
    }

    @Test("Dates of the receiver that do not agree for a minute are a problem that says so")
    func disagreeingDates() async throws {
        let moment = ClockReading(
            systemTime: Timestamp(millisecondsSinceEpoch: 0), uptimeMilliseconds: 5000, isSystemTimeTrusted: false)
        let run = try await PipelineFixture(Self.open, at: moment, boot: "boot")
        for (number, var fix) in try Self.places(of: 1..<80).enumerated() {
            run.clock.advance(bySeconds: 1)
            fix.received = run.clock.now()
            // Each date is an hour before the last one.
            fix.timestamp = fix.timestamp.advanced(bySeconds: -3600 * Double(number))
            await run.pipeline.receive(SourceEvent(.fix(fix), ordinal: run.clock.now().uptimeMilliseconds))
        }
        let problem = try #require(run.problems.current.first)
        #expect(problem.code == .timeUnknown && problem.text.contains("do not advance"))
        await run.pipeline.stop()
    }

    @Test(
        "No position of suspended tracking reaches the disk, also if positions without a date wait",
        arguments: suspending, [true, false])
    func disk(settings: String, areDated: Bool) async throws {
        let folder = try TemporaryFolder()
        let moment = ClockReading(
            systemTime: try ScheduleFixture.time("2026-11-20T08:00:00Z"), uptimeMilliseconds: 5000,
            isSystemTimeTrusted: areDated)
        let store = try await AgentStore.open(at: folder.file("agent.db"), now: moment.systemTime).store
        let run = try await PipelineFixture(Self.open, at: moment, store: store, boot: "boot")
        func finds(_ seconds: Range<Int>) throws -> [LeakSearch.Find] {
            let search = try Self.search(seconds)
            return try ["agent.db", "agent.db-wal"].flatMap {
                search.finds(in: try FileContents.bytes(folder.file($0)))
            }
        }
        try await Self.drive(run, seconds: 1..<120, areDated: areDated)
        #expect(await run.pipeline.tracker.hasUndatedFixes == !areDated)
        // The search finds what was recorded before.
        #expect(try !finds(1..<60).isEmpty)
        await run.pipeline.apply(try ScheduleFixture.settings(settings))
        try await Self.drive(run, seconds: 121..<400, areDated: areDated)
        await run.pipeline.commit()
        #expect(try finds(121..<400) == [])
        await run.pipeline.stop()
        #expect(try finds(121..<400) == [])
        // The positions from before still wait.
        let next = try await PipelineFixture(settings, at: run.clock.now(), store: store, boot: "boot")
        #expect(await next.pipeline.tracker.hasUndatedFixes == !areDated)
        await next.pipeline.stop()
    }

    @Test(
        "The saved state of suspended tracking is the whole one, and has no position of that time", arguments: [0, 1])
    func state(index: Int) throws {
        let intake = Intake(
            deviceID: "van-7", settings: try ScheduleFixture.settings(Self.open),
            seed: EpochIdentity.Seed(high: 1, low: 2))
        for fix in try Self.places(of: 1..<60) { _ = intake.handle(.fix(fix), uptimeMilliseconds: 0) }
        let moment = try #require(try Self.places(of: 60..<61).first).received
        if index == 0 {
            var core = intake.settings.core
            core.isEnabled = false
            _ = intake.handle(.configuration(core, at: moment), uptimeMilliseconds: 0)
        } else {
            let closed = ScheduleGate.State.closed(OffScheduleRule(mode: .stop, tag: ""))
            _ = intake.handle(.schedule(closed, at: moment), uptimeMilliseconds: 0)
        }
        intake.pending.markCommitted(isSnapshot: true)
        for (number, fix) in try Self.places(of: 61..<121).enumerated() {
            let input: TrackerInput =
                switch number % 4 {
                case 0, 1: .fix(fix)
                case 2: .undated(ReceivedFix(fix, hasReceiverDate: true))
                default: .tick(fix.received)
                }
            _ = intake.handle(input, uptimeMilliseconds: 0)
        }
        intake.pending.needsInputs = true
        let batch = try #require(intake.pending.batch)
        let (journal, snapshot) = try intake.state(for: batch)
        let search = try Self.search(61..<121)
        #expect(search.finds(in: journal) == [])
        #expect(search.finds(in: snapshot ?? []) == [])
        let bytes = try #require(snapshot)
        let saved = try StateSnapshot(bytes: bytes)
        #expect(saved.tracker == intake.tracker)
    }
}
