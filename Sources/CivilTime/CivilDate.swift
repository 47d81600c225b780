/// A date of the proleptic Gregorian calendar.
public struct CivilDate: Hashable, Sendable {
    /// Astronomical year; 0 is 1 BC.
    public let year: Int
    /// The month, 1 to 12.
    public let month: Int
    /// The day of the month, 1 to 31.
    public let day: Int

    /// Creates a date without a check. ``daysSinceEpoch`` continues a day past the month's end in the next month.
    public init(year: Int, month: Int, day: Int) {
        self.year = year
        self.month = month
        self.day = day
    }

    /// Creates the date that is a number of days after 1970-01-01.
    public init(daysSinceEpoch: Int) {
        if (-12_000_000...1_000_000_000).contains(daysSinceEpoch) {
            self.init(nearDay: daysSinceEpoch)
        } else {
            self.init(anyDay: daysSinceEpoch)
        }
    }

    /// Creates a date in 32-bit arithmetic, for the years −30,000 to 2,700,000.
    ///
    /// Source: Cassio Neri and Lorenz Schneider, "Euclidean affine functions and their application to calendar
    /// algorithms" (2023), figure 12, with their shift of 82 eras.
    private init(nearDay daysSinceEpoch: Int) {
        let shifted = UInt32(truncatingIfNeeded: daysSinceEpoch + 719_468 + 146_097 * 82)
        let quarters = shifted &* 4 &+ 3
        let century = quarters / 146_097
        let quarterDay = (quarters % 146_097) | 3
        let product = UInt64(quarterDay) &* 2_939_745
        let dayOfYear = UInt32(truncatingIfNeeded: product) / 2_939_745 / 4
        let monthAndDay = 2141 &* dayOfYear &+ 197_913
        let isNextYear = dayOfYear >= 306
        let shiftedMonth = monthAndDay >> 16
        year = Int(100 &* century &+ UInt32(product >> 32)) - 400 * 82 + (isNextYear ? 1 : 0)
        month = Int(isNextYear ? shiftedMonth &- 12 : shiftedMonth)
        day = Int((monthAndDay & 0xffff) / 2141) + 1
    }

    /// Creates any date. Source: Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", `civil_from_days`.
    private init(anyDay daysSinceEpoch: Int) {
        let shifted = daysSinceEpoch + 719_468
        let era = shifted.flooredDivision(by: 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    /// Days since 1970-01-01; negative before it. Source: Hinnant, as above, `days_from_civil`.
    public var daysSinceEpoch: Int {
        let shiftedYear = month <= 2 ? year - 1 : year
        let era = shiftedYear.flooredDivision(by: 400)
        let yearOfEra = shiftedYear - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }

    /// The weekday: 0 is Sunday, 6 is Saturday.
    public var weekday: Int {
        let shifted = (daysSinceEpoch + 4) % 7
        return shifted < 0 ? shifted + 7 : shifted
    }
}
