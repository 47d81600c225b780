import CivilTime

/// The days that the last three fields of an expression select.
struct DayMask: Hashable, Sendable {
    /// Bit `n - 1`: day `n` of the month.
    var daysOfMonth: UInt32 = 0
    /// The last day of each month, whatever its number.
    var includesLastDay = false
    /// Bit `n - 1`: month `n`.
    var months: UInt16 = 0
    /// Five groups of seven bits, one for each run of days 1 to 7, 8 to 14 and so on; in each, bit `n` is weekday `n`
    /// (0: Sunday). A plain weekday is in every group, `n#k` in the k-th.
    var weekdays: UInt64 = 0
    /// Whether day of month or weekday is enough: cron's rule where neither of the two fields begins with a star.
    var matchesEitherDayField = false

    /// Bit 0 of each of the five groups of ``weekdays``.
    static let everyGroup: UInt64 = 1 | 1 << 7 | 1 << 14 | 1 << 21 | 1 << 28

    /// The days of one month: bit `n - 1` for day `n`.
    /// - Parameters:
    ///   - month: 1 to 12.
    ///   - length: its number of days.
    ///   - firstWeekday: the weekday of its first day, 0 is Sunday.
    func days(ofMonth month: Int, length: Int, firstWeekday: Int) -> UInt32 {
        guard months >> UInt16(month - 1) & 1 == 1 else { return 0 }
        let byNumber = daysOfMonth | (includesLastDay ? 1 << UInt32(length - 1) : 0)
        // Rotating each group by the first day's weekday puts the days of the month in their order.
        let shift = UInt64(firstWeekday)
        let unwrapped = weekdays >> shift & ((0x7f >> shift) &* Self.everyGroup)
        let wrapped = weekdays << (7 - shift) & ((0x7f & ~(0x7f >> shift)) &* Self.everyGroup)
        let byWeekday = UInt32(truncatingIfNeeded: unwrapped | wrapped)
        return (matchesEitherDayField ? byNumber | byWeekday : byNumber & byWeekday) & Self.all(length)
    }

    /// Whether a day, counted from 1970-01-01, is selected.
    func contains(day: Int) -> Bool {
        contains(CivilDate(daysSinceEpoch: day), weekday: Self.weekday(ofDay: day))
    }

    /// Whether a date, and its weekday, are selected.
    func contains(_ date: CivilDate, weekday: Int) -> Bool {
        guard months >> UInt16(date.month - 1) & 1 == 1 else { return false }
        let isLast = includesLastDay && date.day == CivilDate.daysIn(month: date.month, ofYear: date.year)
        let byNumber = isLast || daysOfMonth >> UInt32(date.day - 1) & 1 == 1
        let byWeekday = weekdays >> UInt64((date.day - 1) / 7 * 7 + weekday) & 1 == 1
        return matchesEitherDayField ? byNumber || byWeekday : byNumber && byWeekday
    }

    /// The first day from `start` on that is selected, or that is not.
    ///
    /// Goes month by month. Ends: a mask that could never answer is refused before (see ``neverMatches``,
    /// ``alwaysMatches``), and every kind of month comes again within 400 years.
    /// - Returns: nil where it would be `limit` or later.
    func firstDay(from start: Int, before limit: Int, selected: Bool) -> Int? {
        let date = CivilDate(daysSinceEpoch: start)
        var (year, month) = (date.year, date.month)
        var monthStart = start - (date.day - 1)
        var firstWeekday = Self.weekday(ofDay: monthStart)
        var passed = UInt32(date.day - 1)
        while monthStart < limit {
            let length = CivilDate.daysIn(month: month, ofYear: year)
            let days = days(ofMonth: month, length: length, firstWeekday: firstWeekday)
            let wanted = (selected ? days : ~days & Self.all(length)) & (~0 << passed)
            if wanted != 0 {
                let day = monthStart + wanted.trailingZeroBitCount
                return day < limit ? day : nil
            }
            passed = 0
            let isFollowing = advance(&year, &month, selected: selected)
            monthStart = isFollowing ? monthStart + length : CivilDate(year: year, month: month, day: 1).daysSinceEpoch
            firstWeekday = isFollowing ? (firstWeekday + length) % 7 : Self.weekday(ofDay: monthStart)
        }
        return nil
    }

    /// Goes on to the next month; where days are wanted that are selected, to the next one that can have any.
    /// - Returns: whether that is the month right after.
    private func advance(_ year: inout Int, _ month: inout Int, selected: Bool) -> Bool {
        let later = selected ? months >> UInt16(month) : 1
        if month < 12 && later != 0 {
            month += 1 + later.trailingZeroBitCount
            return later & 1 == 1
        }
        year += 1
        let isFollowing = month == 12 && (!selected || months & 1 == 1)
        month = selected ? months.trailingZeroBitCount + 1 : 1
        return isFollowing
    }

    /// Whether no day of any year is selected.
    var neverMatches: Bool { Self.allMonthKindsSatisfy { days(ofMonth: $0, length: $1, firstWeekday: $2) == 0 } }

    /// Whether every day of every year is selected.
    var alwaysMatches: Bool {
        Self.allMonthKindsSatisfy { days(ofMonth: $0, length: $1, firstWeekday: $2) == Self.all($1) }
    }

    /// Whether each day that is selected is selected by another mask too.
    func isContained(in other: DayMask) -> Bool {
        Self.allMonthKindsSatisfy { month, length, firstWeekday in
            let days = days(ofMonth: month, length: length, firstWeekday: firstWeekday)
            return days & ~other.days(ofMonth: month, length: length, firstWeekday: firstWeekday) == 0
        }
    }

    /// In the 400 years after which the calendar repeats itself every month begins on every weekday, February also in
    /// leap years: these are all the months there are.
    private static func allMonthKindsSatisfy(_ holds: (_ month: Int, _ length: Int, _ firstWeekday: Int) -> Bool)
        -> Bool
    {
        for month in 1...12 {
            // One common year and one leap year.
            for year in [1970, 1972] where year == 1970 || month == 2 {
                let length = CivilDate.daysIn(month: month, ofYear: year)
                for firstWeekday in 0..<7 where !holds(month, length, firstWeekday) { return false }
            }
        }
        return true
    }

    private static func all(_ length: Int) -> UInt32 { ~0 >> UInt32(32 - length) }

    private static func weekday(ofDay day: Int) -> Int {
        let remainder = (day + 4) % 7
        return remainder < 0 ? remainder + 7 : remainder
    }
}
