import OdographCivilTime
import OdographHarness
import Testing

@testable import OdographCrontab

@Suite("The union of several expressions")
struct UnionTests {
    private static let hours = ["30-59 8 * * *", "* 9-16 * * *", "0-14 17 * * *"]
    private static let nights = ["* 22-23 * * 1-5", "* 0-5 * * 2-6"]

    @Test(
        "Adjoining expressions open once and close once",
        arguments: [
            (hours, "2026-11-20T00:00:00Z", ["2026-11-20T08:30", "2026-11-20T17:15", "2026-11-21T08:30"]),
            (hours, "2026-11-20T08:59:30Z", ["2026-11-20T17:15", "2026-11-21T08:30", "2026-11-21T17:15"]),
            (hours.reversed(), "2026-11-20T16:00:00Z", ["2026-11-20T17:15", "2026-11-21T08:30", "2026-11-21T17:15"]),
            // The night of Friday ends on Saturday; the next one begins on Monday.
            (nights, "2026-11-20T12:00:00Z", ["2026-11-20T22:00", "2026-11-21T06:00", "2026-11-23T22:00"]),
            // The last day of the month and the first of the next.
            (["* * L * *", "* * 1 * *"], "2026-11-20T12:00:00Z", ["2026-11-30T00:00", "2026-12-02T00:00"]),
            // All days but 29 February, until the next leap year.
            (
                ["* * 1-28 2 *", "* * * 1,3-12 *"], "2026-11-20T12:00:00Z",
                ["2028-02-29T00:00", "2028-03-01T00:00", "2032-02-29T00:00"]
            ),
            (["0-29 * * * *", "31-59 * * * *"], "2026-11-20T12:00:00Z", ["2026-11-20T12:30", "2026-11-20T12:31"]),
        ])
    func adjoining(expressions: [String], after: String, expected: [String]) throws {
        let instant = try #require(Timestamp(iso8601: after))
        let changes = try Schedule(expressions).nextChanges(expected.count, after: instant, in: .utc)
        #expect(changes.map { String($0.instant.iso8601.prefix(16)) } == expected)
    }

    @Test(
        "Expressions that cover all minutes together never close",
        arguments: [
            ["* 0-11 * * *", "* 12-23 * * *"], ["*/2 * * * *", "1-59/2 * * * *"], ["* * * * 1-5", "* * * * 0,6"],
            ["* * 1-15 * *", "* * 16-31 * *"], ["* * 1-30 * *", "* 0-7 31 * *", "* 8-23 31 * *"],
            ["* * * 1-6 *", "* 0 * 7-12 *", "* 1-23 * 7-12 *"], ["5 5 5 5 *", "* * * * *"],
            ["* * * * 1#1,1#2,1#3,1#4,1#5", "* * * * 0,2-6"],
        ])
    func whole(expressions: [String]) throws {
        let schedule = try Schedule(expressions)
        #expect(schedule.isAlwaysOpen)
        let instant = try #require(Timestamp(iso8601: "2026-11-21T09:15:02Z"))
        #expect(schedule.nextChange(after: instant, in: .utc) == nil)
        for place in expressions.indices where expressions.count > 1 {
            var rest = expressions
            rest.remove(at: place)
            #expect(try Schedule(rest).isAlwaysOpen == rest.contains("* * * * *"))
        }
    }

    @Test(
        "The next change matches a search minute by minute, near each zone's transitions",
        arguments: PropertyTests.zones)
    func oracle(name: String) throws {
        let zone = try ZoneDirectory.system.rules(named: name)
        var random = SplitMix64(seed: name.utf8.reduce(11) { $0 &* 31 &+ UInt64($1) })
        for _ in 0..<30 {
            let expressions = random.union()
            NaiveUnion(expressions).expectAgreement(with: try Schedule(expressions), in: zone, using: &random)
        }
    }

    @Test("Any division of the day has no change at its cuts", arguments: 0..<20)
    func divided(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let first = Int.random(in: 0..<720, using: &random)
        let last = Int.random(in: first + 60..<1440, using: &random)
        let schedule = try Schedule(Self.expressions(from: first, to: last).shuffled(using: &random))
        let start = Timestamp(millisecondsSinceEpoch: 1_795_132_800_000)
        let minutes = schedule.nextChanges(6, after: start.advanced(byMilliseconds: -1), in: .utc)
            .map { Int($0.instant.secondsSinceEpoch / 60 % 1440) }
        let end = (last + 1) % 1440
        #expect(minutes == (first == 0 ? [0, end, 0, end, 0, end] : [first, end, first, end, first, end]))
    }

    /// Returns the expressions that an operator writes for the minutes of a day from one to another.
    private static func expressions(from first: Int, to last: Int) -> [String] {
        let (begin, end) = (first / 60, last / 60)
        if begin == end { return ["\(first % 60)-\(last % 60) \(begin) * * *"] }
        let between = begin + 1 < end ? ["* \(begin + 1)-\(end - 1) * * *"] : []
        return ["\(first % 60)-59 \(begin) * * *"] + between + ["0-\(last % 60) \(end) * * *"]
    }

    @Test("A union is included in another one exactly if no minute of any day contradicts", arguments: 0..<6)
    func inclusion(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        var contained = 0
        for number in 0..<12 {
            let outer = (0..<Int.random(in: 1...4, using: &random)).map { _ in random.simpleExpression() }
            let inner =
                number.isMultiple(of: 2)
                ? outer.shuffled(using: &random) : (0..<2).map { _ in random.simpleExpression() }
            let isContained = try Schedule(inner).isContained(in: Schedule(outer))
            if isContained { contained += 1 }
            #expect(isContained == Self.lies(inner, within: outer), "\(inner) in \(outer)")
        }
        #expect(contained >= 6)
        #expect(try Schedule("* 8-17 * * *").isContained(in: Schedule(["* 0-11 * * *", "* 12-23 * * *"])))
        #expect(try !Schedule(["* 8 * * *", "0 13 * * *"]).isContained(in: Schedule(["* 0-11 * * *", "* 14 * * *"])))
    }

    /// The minutes of the simple expressions begin and end with quarters of an hour, and all months are alike for them.
    private static func lies(_ inner: [String], within outer: [String]) -> Bool {
        let (inner, outer) = (NaiveUnion(inner), NaiveUnion(outer))
        return days.allSatisfy { date in
            (0..<96).allSatisfy { quarter in
                let local = LocalTime(date: date, hour: quarter / 4, minute: quarter % 4 * 15)
                return !inner.matches(local) || outer.matches(local)
            }
        }
    }

    /// One day of four years for each pair of a day of the month and a weekday.
    private static let days: [CivilDate] = {
        let first = CivilDate(year: 2024, month: 1, day: 1).daysSinceEpoch
        let dates = (first..<first + 1461).map { CivilDate(daysSinceEpoch: $0) }
        return Array(Dictionary(dates.map { ([$0.day, $0.weekday], $0) }) { date, _ in date }.values)
    }()

    @Test("A wrong expression of a list is named, and a list has 1 to 32 expressions")
    func refused() {
        let error = #expect(throws: ScheduleError.self) { try Schedule(["* * * * *", "* 25 * * *"]) }
        #expect(error?.expression == "* 25 * * *" && error?.field == .hour)
        #expect(throws: ScheduleError.self) { try Schedule([]) }
        #expect(throws: Never.self) { try Schedule([String](repeating: "* 8 * * *", count: 32)) }
        #expect(throws: ScheduleError.self) { try Schedule([String](repeating: "* 8 * * *", count: 33)) }
        #expect(throws: Never.self) { try Schedule(lines: "* 8 * * *\n* 9 * * *") }
        #expect(throws: ScheduleError.self) { try Schedule(lines: "* 8 * * *\n") }
    }
}

extension SplitMix64 {
    /// Returns two to five expressions that match some minute each.
    fileprivate mutating func union() -> [String] {
        var expressions: [String] = []
        let count = Int.random(in: 2...5, using: &self)
        while expressions.count < count {
            let expression = Bool.random(using: &self) ? expression() : simpleExpression()
            if (try? Schedule(expression)) != nil { expressions.append(expression) }
        }
        return expressions
    }

    /// Returns an expression with whole quarters of an hour, and days that occur in any four years.
    fileprivate mutating func simpleExpression() -> String {
        let minutes = ["*", "*", "0-29", "30-59", "15-44", "0-14"].randomElement(using: &self) ?? "*"
        let hours = ["*", "0-11", "12-23", "8-17", "22-23", "0-5"].randomElement(using: &self) ?? "*"
        let days = ["*", "*", "*", "1-15", "16-31"].randomElement(using: &self) ?? "*"
        let weekdays = ["*", "1-5", "0,6", "2-6", "1"].randomElement(using: &self) ?? "*"
        return "\(minutes) \(hours) \(days) * \(weekdays)"
    }
}
