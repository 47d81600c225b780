import OdographCivilTime
import OdographHarness
import Logging
import OdographModel
import OdographPositioning
import OdographStore
import Testing
import OdographThreads
import OdographTracking

@testable import Odograph

@Suite("The pipeline and its schedule")
struct RecorderScheduleTests {
    private static func moment(_ text: String, isTrusted: Bool = true) throws -> ClockReading {
        ClockReading(
            systemTime: try ScheduleFixture.time(text), uptimeMilliseconds: 5000, isSystemTimeTrusted: isTrusted)
    }

    @Test("A power cut in private time loses no more distance than one outside of it")
    func privatePowerCut() async throws {
        let tracking = """
            { schedule: '0-9 * * * *', time_zone: 'UTC', off_schedule: { mode: 'private' },
              sampling: { minimum_interval: 10, distance: 100 } }
            """
        let start = "2026-11-20T08:10:00Z"
        let first = try await PipelineFixture(tracking, at: Self.moment(start))
        try await first.drive(seconds: 240, from: 0, at: start)
        let driven = await first.pipeline.odometer.meters
        #expect(abs(driven - 240 * 12) < 60)
        // The pipeline is not stopped.
        let second = try await PipelineFixture(tracking, at: Self.moment("2026-11-20T08:20:00Z"), store: first.store)
        let kept = await second.pipeline.odometer.meters
        #expect(kept <= driven)
        #expect(driven - kept <= 130, "\(driven - kept) m of \(driven) m are lost")
        #expect(await second.pipeline.lastLocation == nil)
    }

    @Test("A parked vehicle writes nothing to the disk in private time")
    func privateStand() async throws {
        let tracking = "{ schedule: '0-9 * * * *', time_zone: 'UTC', off_schedule: { mode: 'private' } }"
        let start = "2026-11-20T08:10:00Z"
        let parked = try await PipelineFixture(tracking, at: Self.moment(start))
        let before = await parked.pipeline.privateSnapshotPolicy.last?.uptimeMilliseconds
        var fix = try ScheduleFixture.drive(from: start, seconds: 1)[0]
        fix.speedMetersPerSecond = 0
        for _ in 0..<200 {
            parked.clock.advance(bySeconds: 1)
            fix.timestamp = parked.clock.now().systemTime
            fix.received = parked.clock.now()
            await parked.pipeline.receive(SourceEvent(.fix(fix), ordinal: 0))
        }
        #expect(before != nil)
        #expect(await parked.pipeline.privateSnapshotPolicy.last?.uptimeMilliseconds == before)
    }

    @Test(
        "A report is requested when the time becomes known, also if the schedule stays as it is",
        arguments: ["private", "tag"])
    func timeKnown(mode: String) async throws {
        let start = "2026-11-20T08:00:00Z"
        // Closed, or open, before and after.
        let minutes = mode == "private" ? "30-59 * * * *" : "0-29 * * * *"
        let fixture = try await PipelineFixture(
            "{ schedule: '\(minutes)', time_zone: 'UTC', off_schedule: { mode: '\(mode)' } }",
            at: Self.moment(start, isTrusted: false))
        let requests = Lock(0)
        let pipeline = fixture.pipeline
        await pipeline.observeSchedule { requests.withLock { $0 += 1 } }
        let isOpen = await pipeline.scheduleReport.isWithin
        #expect(await pipeline.scheduleReport.isTimeKnown == false)
        try await fixture.drive(seconds: 120, from: 0, at: start)
        #expect(await pipeline.scheduleReport.isTimeKnown)
        #expect(await pipeline.scheduleReport.isWithin == isOpen)
        #expect(requests.withLock { $0 } > 0)
    }

    @Test(
        "A clock that is set after the start is trusted, and the schedule is evaluated with its time",
        arguments: ["open", "closed"])
    func trusted(word: String) async throws {
        let tracking = """
            { schedule: '* 10-20 * * *', time_zone: 'UTC', schedule_before_time: '\(word)' }
            """
        let fixture = try await PipelineFixture(
            tracking, at: Self.moment("1970-01-01T00:00:05Z", isTrusted: false))
        let before = await fixture.pipeline.scheduleReport
        #expect((before.isWithin, before.isTimeKnown) == (word == "open", false))
        #expect(before.nextChanges.isEmpty)
        // A time at which the schedule says the opposite of `schedule_before_time`.
        fixture.clock.set(try ScheduleFixture.time(word == "open" ? "2026-11-20T05:00:00Z" : "2026-11-20T12:00:00Z"))
        fixture.clock.advance(bySeconds: 61)
        let changed = try await eventually {
            let report = await fixture.pipeline.scheduleReport
            return report.isWithin != before.isWithin ? report : nil
        }
        let after = try #require(changed)
        #expect((after.isWithin, after.isTimeKnown) == (word != "open", true))
        #expect(after.nextChanges.count == 10)
        #expect(await fixture.pipeline.isWithinSchedule == (word != "open"))
        await fixture.pipeline.stop()
    }

    @Test("A receiver's date opens the schedule before the system time is set, as soon as its dates agree")
    func receiverTellsTime() async throws {
        let tracking = "{ schedule: '* 10-20 * * *', time_zone: 'UTC', schedule_before_time: 'closed' }"
        let fixture = try await PipelineFixture(
            tracking, at: Self.moment("1970-01-01T00:00:05Z", isTrusted: false))
        #expect(await fixture.pipeline.scheduleReport.isWithin == false)
        for (index, var fix) in try ScheduleFixture.drive(from: "2026-11-20T12:00:00Z", seconds: 3).enumerated() {
            #expect(await fixture.pipeline.scheduleReport.isWithin == false)
            fixture.clock.advance(bySeconds: 1)
            fix.received = fixture.clock.now()
            await fixture.pipeline.receive(SourceEvent(.fix(fix), ordinal: Int64(index + 1)))
        }
        #expect(await fixture.pipeline.scheduleReport.isWithin)
        #expect(await fixture.pipeline.lastLocation != nil)
        await fixture.pipeline.stop()
    }

    @Test("A program that embeds the agent may override the closed schedule at any time")
    func overruled() async throws {
        let tracking = "{ schedule: '0-9 * * * *', time_zone: 'UTC', off_schedule: { mode: 'stop', tag: 'own' } }"
        let start = "2026-11-20T08:09:50Z"
        let fixture = try await PipelineFixture(tracking, at: Self.moment(start))
        let answer = Lock(false)
        await fixture.pipeline.setOffScheduleOverride { answer.withLock { $0 } }
        try await fixture.drive(seconds: 20, from: 0, at: start)
        #expect(await fixture.pipeline.scheduleReport.offSchedule == .stop)
        answer.withLock { $0 = true }
        try await fixture.drive(seconds: 5, from: 20, at: start)
        #expect(await fixture.pipeline.scheduleReport.offSchedule == .tag)
        #expect(await fixture.pipeline.scheduleReport.isWithin == false)
        // Another closed schedule calls the override again. Private mode never calls it.
        await fixture.pipeline.apply(
            try ScheduleFixture.settings(
                "{ schedule: '0-8 * * * *', time_zone: 'UTC', off_schedule: { mode: 'private' } }"))
        try await fixture.drive(seconds: 5, from: 25, at: start)
        #expect(await fixture.pipeline.scheduleReport.offSchedule == .private)
        await fixture.pipeline.apply(try ScheduleFixture.settings(tracking))
        #expect(await fixture.pipeline.scheduleReport.offSchedule == .tag)
        answer.withLock { $0 = false }
        try await fixture.drive(seconds: 1, from: 30, at: start)
        #expect(await fixture.pipeline.scheduleReport.offSchedule == .stop)
        answer.withLock { $0 = true }
        try await fixture.drive(seconds: 1, from: 31, at: start)
        #expect(await fixture.pipeline.scheduleReport.offSchedule == .tag)
        await fixture.pipeline.setOffScheduleOverride(nil)
        #expect(await fixture.pipeline.scheduleReport.offSchedule == .stop)
        await fixture.pipeline.stop()
    }

    @Test("An override applies again after a restart within the closed time")
    func overruledAfterRestart() async throws {
        let tracking = "{ schedule: '0-9 * * * *', time_zone: 'UTC' }"
        let first = try await PipelineFixture(tracking, at: Self.moment("2026-11-20T08:20:00Z"))
        await first.pipeline.setOffScheduleOverride { true }
        #expect(await first.pipeline.scheduleReport.offSchedule == .tag)
        await first.pipeline.stop()
        let second = try await PipelineFixture(tracking, at: Self.moment("2026-11-20T08:21:00Z"), store: first.store)
        #expect(await second.pipeline.scheduleReport.offSchedule == .stop)
        await second.pipeline.setOffScheduleOverride { true }
        #expect(await second.pipeline.scheduleReport.offSchedule == .tag)
        await second.pipeline.stop()
    }
}
