import OdographCivilTime
import OdographCrontab
import Testing

@Suite("The next change")
struct NextChangeTests {
    @Test(
        "Clock changes are applied in both directions",
        arguments: [
            // Open through the skipped hour: the window's end comes an hour of real time earlier.
            ("* 1-2 * * *", "Europe/Madrid", "2026-03-29T00:30:00Z", "2026-03-29T01:00:00Z"),
            // The whole window is skipped that day.
            ("* 2 * * *", "Europe/Madrid", "2026-03-28T12:00:00Z", "2026-03-30T00:00:00Z"),
            // The window begins in the skipped hour and opens at its end.
            ("30-59 2,3 * * *", "Europe/Madrid", "2026-03-29T00:30:00Z", "2026-03-29T01:30:00Z"),
            ("15 2-3 * * *", "Europe/Madrid", "2026-03-29T00:30:00Z", "2026-03-29T01:15:00Z"),
            // The repeated hour counts twice, as one long hour.
            ("* 2 * * *", "Europe/Madrid", "2026-10-25T00:10:00Z", "2026-10-25T02:00:00Z"),
            ("30-59 2 * * *", "Europe/Madrid", "2026-10-25T00:45:00Z", "2026-10-25T01:00:00Z"),
            ("30-59 2 * * *", "Europe/Madrid", "2026-10-25T01:00:00Z", "2026-10-25T01:30:00Z"),
            // Half an hour on Lord Howe.
            ("0-29 2 * * *", "Australia/Lord_Howe", "2026-10-03T15:00:00Z", "2026-10-04T15:00:00Z"),
            // Apia had no 30 December 2011.
            ("* * 30 12 *", "Pacific/Apia", "2011-12-01T00:00:00Z", "2012-12-29T10:00:00Z"),
            // 29 February on a given weekday, across the year 2300: 40 years later.
            ("* * */7 2 5#5", "UTC", "2284-03-01T00:00:00Z", "2324-02-29T00:00:00Z"),
            // Long after the last listed transition.
            ("* 12 1 7 *", "Europe/Madrid", "2900-01-01T00:00:00Z", "2900-07-01T10:00:00Z"),
        ])
    func tables(expression: String, zone: String, after: String, expected: String) throws {
        let schedule = try Schedule(expression)
        let rules = try ZoneDirectory.system.rules(named: zone)
        let instant = try #require(Timestamp(iso8601: after))
        #expect(schedule.nextChange(after: instant, in: rules) == Timestamp(iso8601: expected))
    }

    @Test(
        "A constant schedule has no next change",
        arguments: [
            ("* * * * *", "Europe/Madrid"), ("*/1 0-23 1-30,L 1-12 0-7", "Europe/Madrid"),
            ("* * 1-31 * 1", "UTC"),
            // 02:00 to 02:59 does not exist on New York's second Sunday of March.
            ("* 2 * 3 0#2", "America/New_York"),
        ])
    func never(expression: String, zone: String) throws {
        let schedule = try Schedule(expression)
        let rules = try ZoneDirectory.system.rules(named: zone)
        let instant = try #require(Timestamp(iso8601: "2026-11-21T09:15:02Z"))
        #expect(schedule.nextChange(after: instant, in: rules) == nil)
        #expect(schedule.nextChanges(10, after: instant, in: rules).isEmpty)
    }

    @Test(
        "Extreme instants cause no trap and no wrong answer",
        arguments: [.min, -1, 0, Int64.max - 59_999, .max] as [Int64])
    func extremes(milliseconds: Int64) throws {
        let instant = Timestamp(millisecondsSinceEpoch: milliseconds)
        for name in ["UTC", "Europe/Madrid", "Australia/Lord_Howe"] {
            let zone = try ZoneDirectory.system.rules(named: name)
            for expression in ["* 10-20 * * 1-5", "0 0 29 2 *", "* * * * *", "30 2 * 3 0#5"] {
                let schedule = try Schedule(expression)
                _ = schedule.isOpen(at: instant, in: zone)
                let next = schedule.nextChange(after: instant, in: zone)
                #expect(next.map { $0 > instant } ?? true)
            }
        }
    }

    @Test(
        "Two spellings of a schedule give the same schedule",
        arguments: [
            ("* * * * SUN", "* * * * 0"), ("* * * * 7", "* * * * 0"), ("* * * * FRI-SUN", "* * * * 5-7"),
            ("* * * * sun-tue", "* * * * 0-2"), ("* * * jan-DEC *", "* * * * *"), ("@daily", "0 0 * * *"),
            ("@Weekly", "0 0 * * 0"), ("@yearly", "0 0 1 1 *"), ("@midnight", "@daily"), (" @hourly\t", "0 * * * *"),
            ("* 8/4 * * *", "* 8-23/4 * * *"), ("* 00-007 * * *", "* 0-7 * * *"), ("* * l * *", "* * L * *"),
            ("* * * * SUN-SUN", "* * * * 0"), ("* * * * 0-SUN", "* * * * 0"), ("* * * * MON-SUN", "* * * * 1-7"),
        ])
    func equivalents(left: String, right: String) throws {
        let (first, second) = (try Schedule(left), try Schedule(right))
        for hour in 0..<24 * 800 {
            let instant = Timestamp(millisecondsSinceEpoch: Int64(hour) * 3_600_000)
            if first.isOpen(at: instant, in: .utc) != second.isOpen(at: instant, in: .utc) {
                Issue.record("at \(instant)")
            }
        }
    }
}
