import OdographCivilTime
import OdographCrontab
import OdographHarness
import OdographModel
import Testing

@testable import OdographTracking

@Suite("The schedule gate")
struct ScheduleGateTests {
    private func office() throws -> ScheduleGate {
        ScheduleGate(schedule: try ScheduleFixture.schedule("* 10-20 * * 1-5", zone: "Europe/Madrid"))
    }

    @Test("By default tracking is always on")
    func defaults() {
        let schedule = TrackingSchedule()
        #expect(schedule.isOpenWhileTimeUnknown && !schedule.hasPrivateTime && schedule.zone == .utc)
        #expect(schedule.offSchedule == OffScheduleRule(mode: .stop, tag: "off_schedule"))
    }

    @Test("The gate opens and closes at the minute of the zone's local time")
    func minute() throws {
        var gate = try office()
        // 2026-11-20 is a Friday; Madrid is an hour ahead.
        #expect(gate.advance(to: try ScheduleFixture.moment("2026-11-20T08:59:59.999Z")).map(\.state.isOpen) == [false])
        #expect(gate.secondsUntilDue(at: try ScheduleFixture.moment("2026-11-20T08:59:59.000Z")) == 1)
        #expect(gate.advance(to: try ScheduleFixture.moment("2026-11-20T09:00:00Z")).map(\.state.isOpen) == [true])
        #expect(gate.advance(to: try ScheduleFixture.moment("2026-11-20T19:59:59Z")) == [])
        let closing = gate.advance(to: try ScheduleFixture.moment("2026-11-20T20:00:07Z"))
        #expect(closing.map(\.clockReading) == [try ScheduleFixture.moment("2026-11-20T20:00:00Z")])
    }

    @Test("Where two expressions adjoin, the gate neither closes nor opens")
    func adjoining() throws {
        var schedule = try ScheduleFixture.schedule(nil, off: .private)
        schedule.expression = try Schedule(["* 22-23 * * 1-5", "* 0-5 * * 2-6"])
        var gate = ScheduleGate(schedule: schedule)
        func advance(to time: String) throws -> [Bool] {
            gate.advance(
                to: .init(
                    systemTime: try ScheduleFixture.time(time), uptimeMilliseconds: 0,
                    isSystemTimeTrusted: true)
            ).map(\.state.isOpen)
        }
        #expect(try advance(to: "2026-11-20T21:59:59Z") == [false])
        #expect(try advance(to: "2026-11-20T22:00:00Z") == [true])
        #expect(try advance(to: "2026-11-20T23:59:59.999Z") == [])
        #expect(gate.nextChange == (try ScheduleFixture.time("2026-11-21T06:00:00Z")))
        #expect(try advance(to: "2026-11-21T00:00:00Z") == [])
        #expect(try advance(to: "2026-11-21T06:00:00Z") == [false])
    }

    @Test("After a leap in time each change is returned at its own instant")
    func leap() throws {
        var gate = try office()
        _ = gate.advance(to: try ScheduleFixture.moment("2026-11-20T12:00:00Z"))
        let changes = gate.advance(to: try ScheduleFixture.moment("2026-11-24T12:00:00Z"))
        #expect(changes.map(\.state.isOpen) == [false, true, false, true])
        #expect(
            changes.map { String($0.clockReading.systemTime.iso8601.prefix(16)) } == [
                "2026-11-20T20:00", "2026-11-23T09:00", "2026-11-23T20:00", "2026-11-24T09:00",
            ])
    }

    @Test("A leap over very many changes returns a bounded number and ends in the right state")
    func longLeap() throws {
        var gate = try ScheduleGate(schedule: ScheduleFixture.schedule("*/2 * * * *"))
        _ = gate.advance(to: try ScheduleFixture.moment("2026-11-20T12:00:00Z"))
        let changes = gate.advance(to: try ScheduleFixture.moment("2027-11-20T12:01:00Z"))
        #expect(changes.count <= 65)
        #expect(gate.state.isOpen == false)
        #expect(gate.nextChange == (try ScheduleFixture.time("2027-11-20T12:02:00Z")))
    }

    @Test("The changes do not depend on the interval of the calls", arguments: [7.0, 59, 61, 3601, 30_000])
    func granularity(step: Double) throws {
        var gate = try ScheduleGate(schedule: ScheduleFixture.schedule("*/20 6-22 * * *", zone: "Europe/London"))
        let start = try ScheduleFixture.time("2026-10-24T20:00:00Z")
        var changes: [ScheduleGate.Change] = []
        _ = gate.advance(to: ClockReading(replayed: start))
        for index in 1...Int(100_000 / step) {
            changes += gate.advance(to: ClockReading(replayed: start.advanced(bySeconds: Double(index) * step)))
        }
        let end = start.advanced(bySeconds: Double(Int(100_000 / step)) * step)
        let schedule = try ScheduleFixture.schedule("*/20 6-22 * * *", zone: "Europe/London")
        var expected: [Timestamp] = []
        var isOpen = schedule.isOpen(at: start)
        // The schedule changes at whole minutes only.
        for minute in 0...1667 where start.advanced(bySeconds: Double(minute) * 60) <= end {
            let time = start.advanced(bySeconds: Double(minute) * 60)
            if schedule.isOpen(at: time) != isOpen {
                isOpen.toggle()
                expected.append(time)
            }
        }
        #expect(changes.map(\.clockReading.systemTime) == expected)
    }

    @Test(
        "Until the time is known the configured state holds, and a receiver's date makes it known",
        arguments: ["open", "closed"])
    func unknownTime(word: String) throws {
        var gate = try ScheduleGate(
            schedule: ScheduleFixture.schedule("* 10-20 * * *", isOpenBeforeTime: word == "open"))
        let moment = ClockReading(
            systemTime: Timestamp(millisecondsSinceEpoch: 0), uptimeMilliseconds: 5000, isSystemTimeTrusted: false)
        #expect(gate.advance(to: moment).map(\.state.isOpen) == (word == "open" ? [] : [false]))
        #expect(gate.secondsUntilDue(at: moment) == 10)
        for (second, var fix) in try ScheduleFixture.drive(from: "2026-11-20T04:59:58Z", seconds: 3).enumerated() {
            fix.received = moment
            fix.received.uptimeMilliseconds = 3000 + Int64(second) * 1000
            gate.observe(fix)
        }
        _ = gate.advance(to: moment)
        #expect(!gate.state.isOpen)
        #expect(gate.secondsUntilDue(at: moment) == 18_000)
        gate.handleRestart()
        #expect(gate.advance(to: moment).map(\.state.isOpen) == (word == "open" ? [true] : []))
    }

    @Test("A clock that is set back is accepted")
    func backwards() throws {
        var gate = try office()
        _ = gate.advance(to: try ScheduleFixture.moment("2026-11-20T21:00:00Z"))
        #expect(!gate.state.isOpen)
        #expect(gate.advance(to: try ScheduleFixture.moment("2026-11-20T12:00:00Z")).map(\.state.isOpen) == [true])
        #expect(gate.nextChange == (try ScheduleFixture.time("2026-11-20T20:00:00Z")))
    }

    @Test("An override allows tracking off schedule, but not in private time")
    func overruled() throws {
        let evening = try ScheduleFixture.moment("2026-11-20T21:00:00Z")
        var stopped = try ScheduleGate(schedule: ScheduleFixture.schedule("* 10-20 * * *", tag: "own"))
        _ = stopped.advance(to: evening)
        #expect(
            stopped.setOverride(true, at: evening).map(\.state) == [.closed(OffScheduleRule(mode: .tag, tag: "own"))])
        #expect(stopped.setOverride(true, at: evening) == [])
        #expect(stopped.setOverride(false, at: evening).map(\.state.rule?.mode) == [.stop])
        #expect(stopped.setOverride(true, at: evening).map(\.state.rule?.mode) == [.tag])
        #expect(
            stopped.advance(to: try ScheduleFixture.moment("2026-11-21T21:00:00Z")).map(\.state) == [
                .open, .closed(OffScheduleRule(mode: .stop, tag: "own")),
            ])
        var hidden = try ScheduleGate(schedule: ScheduleFixture.schedule("* 10-20 * * *", off: .private))
        _ = hidden.advance(to: evening)
        #expect(hidden.setOverride(true, at: evening) == [])
    }

    @Test("Another schedule applies at once")
    func applied() throws {
        var gate = try office()
        let noon = try ScheduleFixture.moment("2026-11-20T12:00:00Z")
        _ = gate.advance(to: noon)
        let new = try ScheduleFixture.schedule("* 6 * * *")
        #expect(gate.apply(new, at: noon).map(\.state.isOpen) == [false])
        #expect(gate.apply(TrackingSchedule(), at: noon).map(\.state.isOpen) == [true])
    }

    @Test("Another schedule ends the override, and the same one does not")
    func appliedWhileOverruled() throws {
        let evening = try ScheduleFixture.moment("2026-11-20T21:00:00Z")
        var gate = try ScheduleGate(schedule: ScheduleFixture.schedule("* 10-20 * * *"))
        _ = gate.advance(to: evening)
        #expect(gate.setOverride(true, at: evening).map(\.state.rule?.mode) == [.tag])
        #expect(gate.apply(gate.schedule, at: evening) == [])
        let new = try ScheduleFixture.schedule("* 11-20 * * *")
        #expect(gate.apply(new, at: evening).map(\.state.rule?.mode) == [.stop])
        #expect(gate.canBeOverridden)
        #expect(gate.setOverride(true, at: evening).map(\.state.rule?.mode) == [.tag])
    }
}
