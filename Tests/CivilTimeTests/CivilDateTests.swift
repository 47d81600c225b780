import OdographCivilTime
import Testing

@Suite("The calendar")
struct CivilDateTests {
    @Test("Every day of the years 1600 to 2400 makes the round trip and follows the previous one")
    func everyDay() {
        var expected = (year: 1600, month: 1, day: 1)
        var weekday = 6  // 1 January 1600 was a Saturday.
        for day in -135_140...157_419 {
            let date = CivilDate(daysSinceEpoch: day)
            guard (date.year, date.month, date.day) == expected, date.daysSinceEpoch == day, date.weekday == weekday
            else {
                Issue.record("day \(day) is \(date), not \(expected), weekday \(weekday)")
                return
            }
            weekday = (weekday + 1) % 7
            expected.day += 1
            if expected.day > Self.length(ofMonth: expected.month, year: expected.year) {
                expected = expected.month == 12 ? (expected.year + 1, 1, 1) : (expected.year, expected.month + 1, 1)
            }
        }
        #expect(expected == (2401, 1, 1))
    }

    @Test(
        "Far and negative years make the round trip",
        arguments: [-9999, -401, -400, -1, 0, 1, 9999, 20_000, 292_000_000])
    func farYears(year: Int) {
        for (month, day) in [(1, 1), (2, 28), (3, 1), (12, 31)] {
            let date = CivilDate(year: year, month: month, day: day)
            #expect(CivilDate(daysSinceEpoch: date.daysSinceEpoch) == date)
        }
    }

    // Independent of the tested code.
    private static func length(ofMonth month: Int, year: Int) -> Int {
        let isLeap = year % 400 == 0 || (year % 4 == 0 && year % 100 != 0)
        return [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]
    }
}
