extension Schedule {
    /// The schedule in English, for example `from 10:00 to 20:59 on Monday to Friday`.
    public var englishDescription: String {
        if isAlwaysOpen { return "always" }
        return union.masks.map(\.englishDescription).joined(separator: ", or ")
    }
}

extension ScheduleMask {
    fileprivate var englishDescription: String {
        [timeDescription, days.dayDescription, days.monthDescription].filter { !$0.isEmpty }.joined(separator: " ")
    }

    /// `from 10:00 to 20:59`.
    private var timeDescription: String {
        let hourRuns = BitRun.all(in: UInt64(hours))
        let minuteRuns = BitRun.all(in: minutes)
        if minutes == Self.allMinutes {
            if hours == Self.allHours { return "all day" }
            return EnglishFormat.list(
                hourRuns.map { "from \(EnglishFormat.clock($0.first, 0)) to \(EnglishFormat.clock($0.last, 59))" })
        }
        if hourRuns.count == 1, hourRuns[0].first == hourRuns[0].last, minuteRuns.count == 1 {
            let (hour, run) = (hourRuns[0].first, minuteRuns[0])
            if run.first == run.last { return "in the one minute at \(EnglishFormat.clock(hour, run.first))" }
            return "from \(EnglishFormat.clock(hour, run.first)) to \(EnglishFormat.clock(hour, run.last))"
        }
        let minuteWords = EnglishFormat.numbers(minutes, of: "minute")
        if hours == Self.allHours { return "in \(minuteWords) of every hour" }
        return "in \(minuteWords) of \(EnglishFormat.numbers(UInt64(hours), of: "hour"))"
    }
}

extension DayMask {
    /// `on day 13 of the month or on Friday`.
    fileprivate var dayDescription: String {
        let byNumber = dayOfMonthDescription
        let byWeekday = weekdayDescription
        switch (byNumber, byWeekday) {
        case ("", ""): return "every day"
        case ("", _), (_, ""):
            // If one field is sufficient and one matches every day, the result is every day.
            return matchesEitherDayField ? "every day" : byNumber + byWeekday
        default:
            return matchesEitherDayField ? "\(byNumber) or \(byWeekday)" : "\(byNumber), if it is also \(byWeekday)"
        }
    }

    /// The days of the month; empty if all are selected.
    private var dayOfMonthDescription: String {
        if daysOfMonth == ~0 >> 1 { return "" }
        let last = includesLastDay ? ["on the last day of the month"] : []
        let days =
            daysOfMonth == 0 ? [] : ["on \(EnglishFormat.numbers(UInt64(daysOfMonth) << 1, of: "day")) of the month"]
        return EnglishFormat.list(days + last)
    }

    /// The weekdays from Monday on; empty if all are selected.
    private var weekdayDescription: String {
        let groups = (0..<5).map { weekdays >> UInt64($0 * 7) & 0x7f }
        let plain = groups.reduce(0x7f, &)
        if plain == 0x7f { return "" }
        let fromMonday = plain >> 1 | (plain & 1) << 6
        let runs = BitRun.all(in: fromMonday).map { run in
            EnglishFormat.run(FieldNames.longWeekdays[(run.first + 1) % 7], FieldNames.longWeekdays[(run.last + 1) % 7])
        }
        let numbered = groups.enumerated().flatMap { group, bits in
            (0..<7).filter { (bits & ~plain) >> UInt64($0) & 1 == 1 }
                .map { "the \(EnglishFormat.ordinals[group]) \(FieldNames.longWeekdays[$0])" }
        }
        return "on " + EnglishFormat.list(runs + numbered)
    }

    /// The months; empty if all are selected.
    fileprivate var monthDescription: String {
        if months == 0xfff { return "" }
        return "in "
            + EnglishFormat.list(
                BitRun.all(in: UInt64(months)).map {
                    EnglishFormat.run(FieldNames.longMonths[$0.first], FieldNames.longMonths[$0.last])
                })
    }
}

/// A range of consecutive bits that are set.
private struct BitRun {
    let first: Int
    let last: Int

    static func all(in bits: UInt64) -> [BitRun] {
        var runs: [BitRun] = []
        var rest = bits
        while rest != 0 {
            let first = rest.trailingZeroBitCount
            let length = (~(rest >> UInt64(first))).trailingZeroBitCount
            runs.append(BitRun(first: first, last: first + length - 1))
            rest = first + length < 64 ? rest & (~0 << UInt64(first + length)) : 0
        }
        return runs
    }
}

private enum EnglishFormat {
    static let ordinals = ["1st", "2nd", "3rd", "4th", "5th"]

    static func list(_ items: [String]) -> String {
        guard items.count > 1 else { return items.first ?? "" }
        return items.dropLast().joined(separator: ", ") + " and " + items[items.count - 1]
    }

    static func run(_ first: String, _ last: String) -> String { first == last ? first : "\(first) to \(last)" }

    static func clock(_ hour: Int, _ minute: Int) -> String {
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(two(hour)):\(two(minute))"
    }

    /// Returns `minute 5`, `minutes 0 to 29`, or `every 5th minute from 0 to 55`.
    static func numbers(_ bits: UInt64, of unit: String) -> String {
        let values = (0..<64).filter { bits >> UInt64($0) & 1 == 1 }
        if values.count == 1 { return "\(unit) \(values[0])" }
        let step = values[1] - values[0]
        if values.count > 2, step > 1, zip(values, values.dropFirst()).allSatisfy({ $1 - $0 == step }) {
            return "every \(ordinal(step)) \(unit) from \(values[0]) to \(values[values.count - 1])"
        }
        return "\(unit)s " + list(BitRun.all(in: bits).map { run("\($0.first)", "\($0.last)") })
    }

    private static func ordinal(_ number: Int) -> String {
        switch (number % 10, number % 100) {
        case (1, let rest) where rest != 11: "\(number)st"
        case (2, let rest) where rest != 12: "\(number)nd"
        case (3, let rest) where rest != 13: "\(number)rd"
        default: "\(number)th"
        }
    }
}
