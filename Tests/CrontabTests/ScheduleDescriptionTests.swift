import OdographCivilTime
import OdographCrontab
import Testing

@Suite("A schedule in words and as a chart")
struct ScheduleDescriptionTests {
    @Test(
        "Each kind of field has its words",
        arguments: [
            ("* * * * *", "always"),
            ("* 10-20 * * 1-5", "from 10:00 to 20:59 on Monday to Friday"),
            ("* 10-20 * * *", "from 10:00 to 20:59 every day"),
            ("* 22-23,0-6 * * *", "from 00:00 to 06:59 and from 22:00 to 23:59 every day"),
            ("* * * * 6-7", "all day on Saturday to Sunday"),
            ("0 0 * * *", "in the one minute at 00:00 every day"),
            ("0-29 2 * * *", "from 02:00 to 02:29 every day"),
            ("*/5 * * * *", "in every 5th minute from 0 to 55 of every hour every day"),
            ("0,30 8-18 * * 1", "in minutes 0 and 30 of hours 8 to 18 on Monday"),
            ("* 9-17 13 * FRI", "from 09:00 to 17:59 on day 13 of the month or on Friday"),
            (
                "* * */7 2 5#5",
                "all day on every 7th day from 1 to 29 of the month, if it is also on the 5th Friday in February"
            ),
            (
                "* * 1-7,L jun-aug *",
                "all day on days 1 to 7 of the month and on the last day of the month in June to August"
            ),
            ("* * * * FRI#2,1", "all day on Monday and the 2nd Friday"),
            ("* * 1-31 6 1", "all day every day in June"),
        ])
    func words(expression: String, words: String) throws {
        #expect(try Schedule(expression).englishDescription == words)
    }

    @Test(
        "A schedule of single minutes is found",
        arguments: [
            (["0 8-18 * * 1-5"], true), (["*/5 * * * *"], true), (["0,30 8 * * *"], true), (["@daily"], true),
            (["0 8 * * *", "30 20 * * *"], true), (["* 8-18 * * 1-5"], false), (["0-1 8 * * *"], false),
            (["0,59 * * * *"], false), (["0 8 * * *", "* 20 * * *"], false), (["* * * * *"], false),
        ])
    func singleMinutes(expressions: [String], isSingle: Bool) throws {
        #expect(try Schedule(expressions).hasOnlySingleMinutes == isSingle)
    }

    @Test("Several expressions have their words and one chart")
    func several() throws {
        let office = try Schedule(["30-59 8 * * 1", "* 9-16 * * 1", "0-14 17 * * 1"])
        #expect(
            office.englishDescription
                == "from 08:30 to 08:59 on Monday, or from 09:00 to 16:59 on Monday, or from 17:00 to 17:14 on Monday")
        let week = ScheduleWeek(of: office, containing: CivilDate(year: 2026, month: 11, day: 16))
        #expect(week.openMinutes[0][7...18] == [0, 30, 60, 60, 60, 60, 60, 60, 60, 60, 15, 0])
        #expect(week.openMinutes[1].allSatisfy { $0 == 0 })
        #expect(try Schedule(["* 0-11 * * *", "* 12-23 * * *"]).englishDescription == "always")
    }

    @Test("A week's chart begins on Monday and distinguishes whole and partial hours")
    func week() throws {
        let week = ScheduleWeek(
            of: try Schedule("0-29 6,7 * * 1-5"), containing: CivilDate(year: 2026, month: 11, day: 22))
        #expect(week.monday == CivilDate(year: 2026, month: 11, day: 16))
        #expect(week.openMinutes.map { $0.reduce(0, +) } == [60, 60, 60, 60, 60, 0, 0])
        #expect(week.openMinutes.allSatisfy { $0.count == 24 })
        let lines = week.textChart.split(separator: "\n")
        #expect(lines.count == 9)
        #expect(lines[1] == "Mon · · · · · · ▒▒▒▒· · · · · · · · · · · · · · · · ")
        #expect(lines[0].hasPrefix("    00    03    06"))
    }
}
