import OdographCivilTime
import OdographHarness
import OdographModel
import Testing

@testable import OdographTracking

/// The rule that a program on the vehicle sets, over the hours of the schedule.
@Suite("The rule of a program on the vehicle")
struct ProgramRuleTests {
    struct Case: Sendable, CustomStringConvertible {
        var hours: OffScheduleRule.Mode
        var isOpen: Bool
        var program: OffScheduleRule.Mode
        /// The mode of the result; nil for an open schedule.
        var result: OffScheduleRule.Mode

        var description: String { "\(hours) \(isOpen ? "open" : "closed") \(program)" }
    }

    @Test(
        "The stricter of the hours and the program holds",
        arguments: [
            Case(hours: .stop, isOpen: true, program: .private, result: .private),
            Case(hours: .stop, isOpen: true, program: .tag, result: .tag),
            Case(hours: .stop, isOpen: false, program: .private, result: .stop),
            Case(hours: .stop, isOpen: false, program: .tag, result: .stop),
            Case(hours: .tag, isOpen: true, program: .private, result: .private),
            Case(hours: .tag, isOpen: false, program: .private, result: .private),
            Case(hours: .tag, isOpen: false, program: .tag, result: .tag),
            Case(hours: .private, isOpen: true, program: .tag, result: .tag),
            Case(hours: .private, isOpen: true, program: .private, result: .private),
            Case(hours: .private, isOpen: false, program: .tag, result: .private),
            Case(hours: .private, isOpen: false, program: .private, result: .private),
        ])
    func table(scene: Case) throws {
        var schedule = try ScheduleFixture.schedule("* 10-20 * * *")
        schedule.offSchedule = OffScheduleRule(mode: scene.hours, tag: "hours")
        var gate = ScheduleGate(schedule: schedule)
        let moment = try ScheduleFixture.moment("2026-11-20T\(scene.isOpen ? "12" : "22"):00:00Z")
        _ = gate.advance(to: moment)
        let before = gate.state
        schedule.programRule = OffScheduleRule(mode: scene.program, tag: "program")
        _ = gate.apply(schedule, at: moment)
        #expect(gate.state.rule?.mode == scene.result)
        if scene.result == .tag { #expect(gate.state.rule?.tag == "program") }
        #expect(gate.isClosedByHours == !scene.isOpen)
        schedule.programRule = nil
        _ = gate.apply(schedule, at: moment)
        #expect(gate.state == before)
    }

    @Test("Private time by a program needs no date, schedule or wake-up, and the embedding program cannot end it")
    func alone() throws {
        var schedule = TrackingSchedule()
        schedule.programRule = OffScheduleRule(mode: .private, tag: "lunch")
        #expect(schedule.hasPrivateTime)
        var gate = ScheduleGate(schedule: schedule)
        let undated = ClockReading(
            systemTime: Timestamp(millisecondsSinceEpoch: 0), uptimeMilliseconds: 5, isSystemTimeTrusted: false)
        #expect(gate.advance(to: undated).map(\.state.rule?.mode) == [.private])
        #expect(gate.secondsUntilDue(at: undated) == nil && !gate.canBeOverridden)
        #expect(gate.setOverride(true, at: undated) == [])
        #expect(gate.apply(TrackingSchedule(), at: undated).map(\.state.isOpen) == [true])
    }

    @Test("While the hours are open and a program makes the time private, the gate does not ask for wake-ups")
    func wakeUps() throws {
        var schedule = try ScheduleFixture.schedule("* 10-20 * * *")
        schedule.offSchedule.mode = .private
        schedule.programRule = OffScheduleRule(mode: .private, tag: "lunch")
        var gate = ScheduleGate(schedule: schedule)
        _ = gate.advance(to: try ScheduleFixture.moment("2026-11-20T12:00:00Z"))
        #expect(gate.secondsUntilDue(at: try ScheduleFixture.moment("2026-11-20T12:00:01Z")) ?? 0 > 3600)
    }

    @Test("A tag of a program is on records and events, and a private one withholds positions")
    func tracker() throws {
        var track = Track()
        track.go(seconds: 600, metersPerSecond: 15)
        var tracker = Tracker(seed: (1, 2))
        var outputs: [TrackerOutput] = []
        for (index, fix) in track.fixes.enumerated() {
            if index == 200 {
                outputs += tracker.handle(
                    .schedule(.closed(OffScheduleRule(mode: .tag, tag: "client 7")), at: fix.received))
            }
            if index == 400 {
                outputs += tracker.handle(
                    .schedule(.closed(OffScheduleRule(mode: .private, tag: "lunch")), at: fix.received))
            }
            let new = tracker.handle(.fix(fix))
            if index > 400 { #expect(new.allSatisfy { $0.location == nil }) }
            outputs += new
        }
        #expect(outputs.compactMap(\.location).contains { $0.tag == "client 7" })
        #expect(tracker.currentLocation(at: track.moment()) == nil)
    }
}
