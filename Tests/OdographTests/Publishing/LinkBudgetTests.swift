import OdographCivilTime
import OdographHarness
import OdographJSON
import OdographModel
import OdographWire
import Testing

@testable import Odograph

@Suite("The count and the steps of the traffic budget")
struct LinkBudgetTests {
    private static func moment(_ text: String, isTrusted: Bool = true) throws -> ClockReading {
        var moment = try ScheduleFixture.moment(text)
        moment.isSystemTimeTrusted = isTrusted
        return moment
    }

    private static func budget(_ bytes: Int64 = 1_000_000, firstDay: Int = 1) -> LinkBudget {
        var settings = MonthlyBudget()
        (settings.bytes, settings.firstDay) = (bytes, firstDay)
        return LinkBudget(settings, zone: .utc)
    }

    @Test("The steps are at 80 % and at 100 %, and what is above is the overshoot")
    func steps() throws {
        let now = try Self.moment("2026-11-20T08:00:00Z")
        var budget = Self.budget()
        for (bytes, step, overshoot) in [
            (799_999, BudgetGate.Step.normal, 0), (1, .low, 0), (199_999, .low, 0), (1, .exhausted, 0),
            (50, .exhausted, 50),
        ] {
            budget.add(Int64(bytes), at: now)
            #expect(budget.gate.step == step)
            #expect(budget.state.overshoot == overshoot)
        }
        #expect(budget.state.bytes == 1_000_050)
        #expect(budget.state.percent == 100)
        #expect(budget.state.step == .exhausted)
        #expect(budget.state.from == now.systemTime.advanced(bySeconds: -19 * 86_400 - 8 * 3600))
    }

    @Test("The saved count has the state of the last run, and none without a budget")
    func saved() throws {
        var budget = Self.budget()
        budget.add(900_000, at: try Self.moment("2026-11-20T08:00:00Z"))
        let bytes = try JSONCoder.bytes(of: budget.memory)
        #expect(SavedBudget.state(in: [DocumentName.linkBudget: bytes]) == budget.state)
        var memory = budget.memory
        memory.limit = 0
        for document in [try JSONCoder.bytes(of: memory), Array("no JSON".utf8)] {
            #expect(SavedBudget.state(in: [DocumentName.linkBudget: document]) == nil)
        }
        #expect(SavedBudget.state(in: [:]) == nil)
    }

    @Test("The next period begins at 0, and what has waited is released")
    func nextPeriod() throws {
        var budget = Self.budget()
        budget.add(2_000_000, at: try Self.moment("2026-11-20T08:00:00Z"))
        budget.update(at: try Self.moment("2026-11-30T23:59:59Z"))
        #expect(budget.gate == BudgetGate(step: .exhausted))
        // The trend of a week with such a day would exceed it at once.
        budget.update(at: try Self.moment("2026-12-01T00:00:00Z"))
        #expect(budget.gate == BudgetGate(step: .normal, isReleasing: true))
        #expect(budget.state.bytes == 0)
        #expect(budget.state.overshoot == 0)
        budget.endRelease()
        #expect(budget.gate == BudgetGate())
        budget.add(7, at: try Self.moment("2027-03-05T00:00:00Z"))
        #expect(budget.state.bytes == 7)
        #expect(budget.state.from == (try ScheduleFixture.time("2027-03-01T00:00:00Z")))
    }

    @Test("The trend of seven days leads to the first step, and it stays until the end of the period")
    func trend() throws {
        // 30 days of 40,000 bytes exceed a million.
        var budget = Self.budget()
        for day in 1...9 {
            budget.add(40_000, at: try Self.moment("2026-11-0\(day)T10:00:00Z"))
            #expect(budget.gate.step == (day < 7 ? .normal : .low), "day \(day)")
        }
        for day in 10...29 { budget.update(at: try Self.moment("2026-11-\(day)T10:00:00Z")) }
        #expect(budget.gate.step == .low)
        budget.update(at: try Self.moment("2026-12-01T00:00:00Z"))
        #expect(budget.gate.step == .normal)
        // A vehicle that drives from Monday to Friday and needs 95 % of its budget never exceeds it on a Friday.
        var weekdays = Self.budget(22 * 40_000 * 100 / 95)
        for day in 1...30 {
            let now = try Self.moment("2026-11-\(day < 10 ? "0" : "")\(day)T10:00:00Z")
            let weekday = CivilDate(year: 2026, month: 11, day: day).weekday
            if (1...5).contains(weekday), weekdays.state.percent < 75 { weekdays.add(40_000, at: now) }
            weekdays.update(at: now)
            if weekdays.state.percent < 75 { #expect(weekdays.gate.step == .normal, "day \(day)") }
        }
    }

    @Test("A clock that jumps back counts in the same period, and a wrong clock's period is undone")
    func clockJumps() throws {
        var budget = Self.budget()
        budget.add(100, at: try Self.moment("2026-11-30T23:59:59Z"))
        budget.add(10, at: try Self.moment("2026-12-01T00:00:01Z"))
        // A correction across the boundary begins nothing again.
        budget.add(1, at: try Self.moment("2026-11-30T23:59:00Z"))
        #expect(budget.state.bytes == 11)
        #expect(budget.state.from == (try ScheduleFixture.time("2026-12-01T00:00:00Z")))
        budget.add(1, at: try Self.moment("2026-12-01T00:00:01Z"))
        #expect(budget.state.bytes == 12)
        // A clock that was years ahead: its bytes belong to the present period.
        budget.add(1000, at: try Self.moment("2031-05-05T00:00:00Z"))
        #expect(budget.state.bytes == 1000)
        budget.add(1, at: try Self.moment("2026-12-02T00:00:00Z"))
        #expect(budget.state.bytes == 1013)
        #expect(budget.state.from == (try ScheduleFixture.time("2026-12-01T00:00:00Z")))
        #expect(budget.state.until == (try ScheduleFixture.time("2027-01-01T00:00:00Z")))
    }

    @Test("A clock that is not set counts bytes without a period, and moves a period only forwards")
    func unsetClock() throws {
        var budget = Self.budget()
        budget.add(5, at: try Self.moment("1970-01-01T00:01:00Z", isTrusted: false))
        #expect(budget.state.from == nil)
        #expect(budget.state.bytes == 5)
        budget.add(5, at: try Self.moment("2026-11-20T08:00:00Z"))
        #expect(budget.state.bytes == 10)
        let period = budget.memory.period
        budget.add(5, at: try Self.moment("1970-01-01T00:01:00Z", isTrusted: false))
        #expect(budget.state.bytes == 15)
        #expect(budget.memory.period == period)
        // The clock of a machine without a battery, a year later.
        budget.add(1, at: try Self.moment("2027-11-20T08:00:00Z", isTrusted: false))
        #expect(budget.state.bytes == 1)
    }

    @Test("Another limit applies at once, and another first day keeps the count")
    func settings() throws {
        let now = try Self.moment("2026-11-20T08:00:00Z")
        var budget = Self.budget()
        budget.add(1_100_000, at: now)
        budget.settings.bytes = 2_000_000
        budget.update(at: now)
        #expect(budget.gate == BudgetGate(step: .normal, isReleasing: true))
        budget.settings.bytes = 1_200_000
        budget.update(at: now)
        #expect(budget.gate.step == .low)
        budget.settings.firstDay = 15
        budget.update(at: now)
        #expect(budget.state.bytes == 1_100_000)
        #expect(budget.state.until == (try ScheduleFixture.time("2026-12-15T00:00:00Z")))
    }

    @Test("A saved count continues, a recovered one is added once, and a damaged one cannot be negative")
    func memory() throws {
        let now = try Self.moment("2026-11-20T08:00:00Z")
        var budget = Self.budget()
        budget.add(900_000, at: now)
        let saved = try JSONCoder.bytes(of: budget.memory)
        let read = try JSONCoder.decode(LinkBudget.Memory.self, from: saved)
        #expect(read == budget.memory)
        var next = LinkBudget(budget.settings, zone: .utc, memory: read)
        next.update(at: now)
        #expect(next.gate == budget.gate)
        #expect(next.state == budget.state)
        var begun = Self.budget()
        begun.add(100, at: now)
        begun.merge(read, at: now)
        #expect(begun.state.bytes == 900_100)
        var old = read
        old.start = old.start?.advanced(bySeconds: -86_400)
        begun.merge(old, at: now)
        #expect(begun.state.bytes == 900_100)
        old.bytes = -5
        #expect(LinkBudget(budget.settings, zone: .utc, memory: old).state.bytes == 0)
        old.bytes = .max
        old.days = [LinkBudget.Memory.Day(day: 20_776, bytes: .max), LinkBudget.Memory.Day(day: 20_777, bytes: .max)]
        var full = LinkBudget(budget.settings, zone: .utc, memory: old)
        full.merge(old, at: now)
        full.add(1 << 40, at: now)
        #expect(full.gate.step == .exhausted)
    }
}
