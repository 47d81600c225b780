import OdographCivilTime

/// The five fields as bits: a set of minutes of a wall clock, counted from 1970-01-01T00:00 on that clock.
struct ScheduleMask: Hashable, Sendable {
    /// Bit `n`: minute `n` of an hour.
    var minutes: UInt64 = 0
    /// Bit `n`: hour `n` of a day.
    var hours: UInt32 = 0
    var days = DayMask()

    static let allMinutes: UInt64 = (1 << 60) - 1
    static let allHours: UInt32 = (1 << 24) - 1

    var alwaysMatches: Bool {
        minutes == Self.allMinutes && hours == Self.allHours && days.alwaysMatches
    }

    func matches(minute: Int) -> Bool {
        let (day, minuteOfDay) = Self.split(minute)
        return hours >> UInt32(minuteOfDay / 60) & 1 == 1 && minutes >> UInt64(minuteOfDay % 60) & 1 == 1
            && days.contains(day: day)
    }

    /// Returns the first minute after the given one whose state differs.
    /// - Returns: nil if the minute is not before `limit`.
    /// - Precondition: Not ``alwaysMatches``, and some day matches.
    func nextChange(after minute: Int, isInside: Bool, before limit: Int) -> Int? {
        let change =
            isInside
            ? nextOutside(after: minute, before: limit) : nextInside(after: minute, before: limit)
        guard let change, change < limit else { return nil }
        return change
    }

    private func nextInside(after minute: Int, before limit: Int) -> Int? {
        let (day, minuteOfDay) = Self.split(minute + 1)
        if let found = firstInside(fromMinuteOfDay: minuteOfDay), days.contains(day: day) {
            return day * 1440 + found
        }
        guard let found = days.firstDay(from: day + 1, before: Self.dayAfter(limit), selected: true) else { return nil }
        return found * 1440 + hours.trailingZeroBitCount * 60 + minutes.trailingZeroBitCount
    }

    private func firstInside(fromMinuteOfDay start: Int) -> Int? {
        let hour = start / 60
        if hours >> UInt32(hour) & 1 == 1, case let rest = minutes >> UInt64(start % 60), rest != 0 {
            return start + rest.trailingZeroBitCount
        }
        let later = hours >> UInt32(hour + 1)
        guard later != 0 else { return nil }
        return (hour + 1 + later.trailingZeroBitCount) * 60 + minutes.trailingZeroBitCount
    }

    /// - Precondition: `minute` matches, so its hour and its day match too.
    private func nextOutside(after minute: Int, before limit: Int) -> Int? {
        let (day, minuteOfDay) = Self.split(minute)
        let ahead = minuteOfDay % 60 + 1
        let outside = ~minutes & Self.allMinutes
        if outside >> UInt64(ahead) != 0 {
            return minute + 1 + (outside >> UInt64(ahead)).trailingZeroBitCount
        }
        let nextHour = minute + 60 - minuteOfDay % 60
        if outside != 0 {
            let (nextDay, start) = Self.split(nextHour)
            let isOpen = hours >> UInt32(start / 60) & 1 == 1 && (nextDay == day || days.contains(day: nextDay))
            return isOpen ? nextHour + outside.trailingZeroBitCount : nextHour
        }
        return nextOutsideOfFullHours(day: day, hour: minuteOfDay / 60, before: limit)
    }

    private func nextOutsideOfFullHours(day: Int, hour: Int, before limit: Int) -> Int? {
        let outside = ~hours & Self.allHours
        let later = outside >> UInt32(hour)
        if later != 0 { return day * 1440 + (hour + later.trailingZeroBitCount) * 60 }
        if outside != 0 {
            return (day + 1) * 1440 + (days.contains(day: day + 1) ? outside.trailingZeroBitCount * 60 : 0)
        }
        return days.firstDay(from: day + 1, before: Self.dayAfter(limit), selected: false).map { $0 * 1440 }
    }

    private static func split(_ minute: Int) -> (day: Int, minuteOfDay: Int) {
        let minuteOfDay = minute % 1440
        return minuteOfDay < 0 ? (minute / 1440 - 1, minuteOfDay + 1440) : (minute / 1440, minuteOfDay)
    }

    /// Returns the first day that has no minute before the limit.
    private static func dayAfter(_ limit: Int) -> Int { limit == .max ? .max : split(limit - 1).day + 1 }
}
