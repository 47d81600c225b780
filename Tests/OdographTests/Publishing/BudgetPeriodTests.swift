import OdographCivilTime
import OdographHarness
import Testing

@testable import Odograph

@Suite("The periods of the traffic budget")
struct BudgetPeriodTests {
    /// - Parameters: an instant, the first day, the zone, and the beginning and the end of the period.
    @Test(
        "A period begins at midnight of its first day in the vehicle's zone; a shorter month begins on its last day",
        arguments: [
            ("2026-11-20T08:00:00Z", 1, "UTC", "2026-11-01T00:00:00Z", "2026-12-01T00:00:00Z"),
            ("2026-11-20T08:00:00Z", 25, "UTC", "2026-10-25T00:00:00Z", "2026-11-25T00:00:00Z"),
            ("2026-12-31T23:59:59Z", 1, "UTC", "2026-12-01T00:00:00Z", "2027-01-01T00:00:00Z"),
            ("2027-01-01T00:00:00Z", 1, "UTC", "2027-01-01T00:00:00Z", "2027-02-01T00:00:00Z"),
            ("2027-01-10T00:00:00Z", 15, "UTC", "2026-12-15T00:00:00Z", "2027-01-15T00:00:00Z"),
            // The ends of February and of a leap year's.
            ("2027-02-15T00:00:00Z", 29, "UTC", "2027-01-29T00:00:00Z", "2027-02-28T00:00:00Z"),
            ("2027-02-28T00:00:00Z", 30, "UTC", "2027-02-28T00:00:00Z", "2027-03-30T00:00:00Z"),
            ("2027-03-30T12:00:00Z", 31, "UTC", "2027-02-28T00:00:00Z", "2027-03-31T00:00:00Z"),
            ("2028-02-28T23:59:59Z", 29, "UTC", "2028-01-29T00:00:00Z", "2028-02-29T00:00:00Z"),
            ("2028-03-01T00:00:00Z", 31, "UTC", "2028-02-29T00:00:00Z", "2028-03-31T00:00:00Z"),
            ("2027-04-30T00:00:00Z", 31, "UTC", "2027-04-30T00:00:00Z", "2027-05-31T00:00:00Z"),
            // The zone, and its summer time: midnight is at 23:00 or 22:00 UTC.
            ("2026-10-31T22:59:59Z", 1, "Europe/Madrid", "2026-09-30T22:00:00Z", "2026-10-31T23:00:00Z"),
            ("2026-10-31T23:00:00Z", 1, "Europe/Madrid", "2026-10-31T23:00:00Z", "2026-11-30T23:00:00Z"),
            ("2026-11-01T06:59:59Z", 1, "America/Los_Angeles", "2026-10-01T07:00:00Z", "2026-11-01T07:00:00Z"),
        ])
    func period(_ instant: String, firstDay: Int, zone: String, start: String, end: String) throws {
        let period = BudgetPeriod(
            containing: try ScheduleFixture.time(instant), firstDay: firstDay,
            zone: try ZoneDirectory.system.rules(named: zone))
        #expect(period.start == (try ScheduleFixture.time(start)))
        #expect(period.end == (try ScheduleFixture.time(end)))
    }

    @Test("Periods join without a gap, whatever the first day and the zone", arguments: [1, 15, 28, 29, 30, 31])
    func joined(firstDay: Int) throws {
        for name in ["UTC", "Europe/Madrid", "Pacific/Apia", "America/Asuncion"] {
            let zone = try ZoneDirectory.system.rules(named: name)
            var period = BudgetPeriod(
                containing: try ScheduleFixture.time("2026-11-20T08:00:00Z"), firstDay: firstDay, zone: zone)
            for _ in 0..<120 {
                let next = BudgetPeriod(containing: period.end, firstDay: firstDay, zone: zone)
                #expect(next.start == period.end)
                let days = next.end.seconds(since: next.start) / 86_400
                #expect((27.9...31.1).contains(days), "\(name) \(next)")
                let last = BudgetPeriod(
                    containing: next.end.advanced(bySeconds: -1), firstDay: firstDay, zone: zone)
                #expect(last == next)
                period = next
            }
        }
    }
}
