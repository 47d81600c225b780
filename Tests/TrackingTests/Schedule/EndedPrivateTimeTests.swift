import OdographCivilTime
import OdographHarness
import OdographModel
import Testing

@testable import OdographTracking

/// The end of private time: positions from before it stay private, however late they arrive.
@Suite("Positions of private time that arrive after its end")
struct EndedPrivateTimeTests {
    private static let uptime: Int64 = 5_000_000

    /// Returns a position that a receiver has determined and the agent has received, seconds after the end.
    private static func fix(determined: Double, received: Double, end: ClockReading) -> Fix {
        Fix(
            timestamp: end.systemTime.advanced(bySeconds: determined),
            received: ClockReading(
                systemTime: end.systemTime.advanced(bySeconds: received),
                uptimeMilliseconds: uptime + Int64(received * 1000), isSystemTimeTrusted: true),
            coordinate: Track().end)
    }

    @Test(
        "A position is of private time if it was received or determined before the end",
        arguments: [
            // Received on time, one second late, and by a receiver that lags by 20 s.
            (0.5, 1.0, false), (-0.5, 0.5, true), (-20, 0, true), (-1, 19, true), (1, 21, false),
            // Received before, but handled after it.
            (-2, -1, true),
            // The filter rejects what is older, or takes the machine's clock as wrong.
            (-30, 5, false),
            // With the date of another year the receiver's time tells no age.
            (-30_000_000, 5, false),
        ])
    func late(determined: Double, received: Double, isPrivate: Bool) throws {
        var schedule = TrackingSchedule()
        schedule.programRule = OffScheduleRule(mode: .private, tag: "lunch")
        var gate = ScheduleGate(schedule: schedule)
        let end = ClockReading(
            systemTime: try ScheduleFixture.moment("2026-11-20T12:00:00Z").systemTime,
            uptimeMilliseconds: Self.uptime, isSystemTimeTrusted: true)
        _ = gate.advance(to: end)
        let fix = Self.fix(determined: determined, received: received, end: end)
        // While private time lasts, the tracker keeps positions to itself.
        #expect(!gate.isOfEndedPrivateTime(fix, maximumAgeSeconds: 30))
        schedule.programRule = nil
        _ = gate.apply(schedule, at: end)
        #expect(gate.state.isOpen)
        #expect(gate.isOfEndedPrivateTime(fix, maximumAgeSeconds: 30) == isPrivate)
        gate.handleRestart()
        #expect(!gate.isOfEndedPrivateTime(fix, maximumAgeSeconds: 30))
    }

    /// Returns a gate whose private time has ended at the uptime, after these positions.
    private static func ended(
        isReplay: Bool = false, trusted: Bool, before: [Fix]
    ) throws -> (gate: ScheduleGate, end: ClockReading) {
        var schedule = TrackingSchedule()
        schedule.programRule = OffScheduleRule(mode: .private, tag: "lunch")
        var gate = ScheduleGate(schedule: schedule, isReplay: isReplay)
        let end = ClockReading(
            systemTime: try ScheduleFixture.moment("2026-11-20T12:00:00Z").systemTime,
            uptimeMilliseconds: Self.uptime, isSystemTimeTrusted: trusted)
        for fix in before {
            gate.observe(fix)
            _ = gate.advance(to: fix.received)
        }
        _ = gate.advance(to: end)
        schedule.programRule = nil
        _ = gate.apply(schedule, at: end)
        return (gate, end)
    }

    @Test("A machine's clock that is set after the end changes nothing", arguments: [-3600.0, 3600])
    func clockSet(by seconds: Double) throws {
        var (gate, end) = try Self.ended(trusted: true, before: [])
        // The receiver's dates are right; the machine's clock was wrong at the end.
        let right = end.systemTime.advanced(bySeconds: seconds)
        let set = ClockReading(
            systemTime: right.advanced(bySeconds: 10), uptimeMilliseconds: Self.uptime + 10_000,
            isSystemTimeTrusted: true)
        _ = gate.advance(to: set)
        for (age, isPrivate) in [(1.0, false), (9, false), (11, true)] {
            let fix = Fix(timestamp: set.systemTime.advanced(bySeconds: -age), received: set, coordinate: Track().end)
            #expect(gate.isOfEndedPrivateTime(fix, maximumAgeSeconds: 30) == isPrivate, "\(age) s")
        }
    }

    @Test("Without a clock of the machine, a burst of old positions is private by the dates before it")
    func burst() throws {
        let date = try ScheduleFixture.moment("2026-11-20T12:00:00Z").systemTime
        func fix(determined: Double, received: Double) -> Fix {
            Fix(
                timestamp: date.advanced(bySeconds: determined),
                received: ClockReading(
                    systemTime: Timestamp(millisecondsSinceEpoch: 0),
                    uptimeMilliseconds: Self.uptime + Int64(received * 1000), isSystemTimeTrusted: false),
                coordinate: Track().end)
        }
        let before = stride(from: -100.0, to: -60, by: 1).map { fix(determined: $0, received: $0) }
        var (gate, _) = try Self.ended(trusted: false, before: before)
        for second in stride(from: -60.0, to: 20, by: 1) {
            let late = fix(determined: second, received: 20)
            gate.observe(late)
            #expect(gate.isOfEndedPrivateTime(late, maximumAgeSeconds: 30) == (second < 0), "\(second)")
        }
    }

    @Test("In a replay the dates of positions can go back")
    func replay() throws {
        var (gate, end) = try Self.ended(isReplay: true, trusted: true, before: [])
        let earlier = ClockReading(replayed: end.systemTime.advanced(bySeconds: -500))
        _ = gate.advance(to: earlier)
        let fix = Fix(timestamp: earlier.systemTime, received: earlier, coordinate: Track().end)
        #expect(!gate.isOfEndedPrivateTime(fix, maximumAgeSeconds: 30))
    }
}
