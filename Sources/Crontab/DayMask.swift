import OdographCivilTime

/// The days that the last three fields of an expression select.
struct DayMask: Hashable, Sendable {
    /// Bit `n - 1`: day `n` of the month.
    var daysOfMonth: UInt32 = 0
    /// Whether the last day of each month is selected.
    var includesLastDay = false
    /// Bit `n - 1`: month `n`.
    var months: UInt16 = 0
    /// Five groups of seven bits: days 1 to 7, 8 to 14 and so on. In each group, bit `n` is weekday `n` (0: Sunday). A
    /// plain weekday is in every group, `n#k` in group k only.
    var weekdays: UInt64 = 0
    /// Whether a day needs to match one of the day fields only: cron's rule if neither field begins with a star.
    var matchesEitherDayField = false

    /// Bit 0 of each of the five groups of ``weekdays``.
    static let everyGroup: UInt64 = 1 | 1 << 7 | 1 << 14 | 1 << 21 | 1 << 28

    /// Returns the selected days of one month: bit `n - 1` for day `n`.
    /// - Parameters:
    ///   - month: 1 to 12.
    ///   - length: The number of days in the month.
    ///   - firstWeekday: The weekday of the first day; 0 is Sunday.
    func days(ofMonth month: Int, length: Int, firstWeekday: Int) -> UInt32 {
        guard months >> UInt16(month - 1) & 1 == 1 else { return 0 }
        let byNumber = daysOfMonth | (includesLastDay ? 1 << UInt32(length - 1) : 0)
        // Rotating each group by the first day's weekday puts its bits in the order of days.
        let shift = UInt64(firstWeekday)
        let unwrapped = weekdays >> shift & ((0x7f >> shift) &* Self.everyGroup)
        let wrapped = weekdays << (7 - shift) & ((0x7f & ~(0x7f >> shift)) &* Self.everyGroup)
        let byWeekday = UInt32(truncatingIfNeeded: unwrapped | wrapped)
        return (matchesEitherDayField ? byNumber | byWeekday : byNumber & byWeekday) & Self.all(length)
    }

    /// Whether a day, counted from 1970-01-01, is selected.
    func contains(day: Int) -> Bool {
        let date = CivilDate(daysSinceEpoch: day)
        guard months >> UInt16(date.month - 1) & 1 == 1 else { return false }
        let isLast = includesLastDay && date.day == CivilDate.daysIn(month: date.month, ofYear: date.year)
        let byNumber = isLast || daysOfMonth >> UInt32(date.day - 1) & 1 == 1
        let byWeekday = weekdays >> UInt64((date.day - 1) / 7 * 7 + Self.weekday(ofDay: day)) & 1 == 1
        return matchesEitherDayField ? byNumber || byWeekday : byNumber && byWeekday
    }

    /// Returns the first day from `start` on that is selected, or the first that is not.
    ///
    /// The search goes month by month. It ends because masks without an answer are rejected first (see
    /// ``neverMatches``, ``alwaysMatches``) and every kind of month occurs within 400 years.
    /// - Returns: nil if the day is not before `limit`.
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

    /// Advances to the next month. If selected days are wanted, skips months without any.
    /// - Returns: Whether the new month immediately follows the old one.
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

    /// Whether a condition holds for all kinds of months. The calendar repeats after 400 years, in which every month
    /// begins on every weekday, and so does February of leap years.
    static func allMonthKindsSatisfy(_ holds: (_ month: Int, _ length: Int, _ firstWeekday: Int) -> Bool)
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
