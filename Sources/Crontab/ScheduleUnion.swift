import OdographCivilTime

/// The minutes that at least one mask selects: a set of minutes of a wall clock, counted from 1970-01-01T00:00 on that
/// clock.
struct ScheduleUnion: Hashable, Sendable {
    /// At least one and at most 32.
    let masks: [ScheduleMask]

    /// The masks that select a day. Bit `n`: mask `n`.
    typealias Selection = UInt32

    func matches(minute: Int) -> Bool {
        let (day, minuteOfDay) = Self.split(minute)
        return masks.contains { mask in
            mask.hours >> UInt32(minuteOfDay / 60) & 1 == 1 && mask.minutes >> UInt64(minuteOfDay % 60) & 1 == 1
                && mask.days.contains(day: day)
        }
    }

    /// Returns the first minute after the given one whose state differs.
    /// - Returns: nil if the minute is not before `limit`.
    /// - Precondition: Not ``alwaysMatches``, and each mask selects a day.
    func nextChange(after minute: Int, isInside: Bool, before limit: Int) -> Int? {
        guard let change = firstMinute(from: minute + 1, isInside: !isInside, before: limit), change < limit else {
            return nil
        }
        return change
    }

    private func firstMinute(from minute: Int, isInside: Bool, before limit: Int) -> Int? {
        let (day, start) = Self.split(minute)
        if let found = firstMinuteOfDay(from: start, isInside: isInside, selection(ofDay: day)) {
            return day * 1440 + found
        }
        let end = Self.dayAfter(limit)
        let later =
            isInside ? firstSelectedDay(from: day + 1, before: end) : firstPartialDay(from: day + 1, before: end)
        guard let later else { return nil }
        return firstMinuteOfDay(from: 0, isInside: isInside, selection(ofDay: later)).map { later * 1440 + $0 }
    }

    private func firstMinuteOfDay(from start: Int, isInside: Bool, _ selection: Selection) -> Int? {
        var passed = UInt64(start % 60)
        for hour in start / 60..<24 {
            let open = minutes(ofHour: hour, selection)
            let wanted = (isInside ? open : ~open & ScheduleMask.allMinutes) & (~0 << passed)
            if wanted != 0 { return hour * 60 + wanted.trailingZeroBitCount }
            passed = 0
        }
        return nil
    }

    // MARK: Days

    private func selection(ofDay day: Int) -> Selection {
        var selection: Selection = 0
        for (index, mask) in masks.enumerated() where mask.days.contains(day: day) { selection |= 1 << UInt32(index) }
        return selection
    }

    /// Returns the open minutes of an hour on a day: bit `n` for minute `n`.
    func minutes(ofHour hour: Int, _ selection: Selection) -> UInt64 {
        var open: UInt64 = 0
        var rest = selection
        while rest != 0 {
            let mask = masks[rest.trailingZeroBitCount]
            if mask.hours >> UInt32(hour) & 1 == 1 { open |= mask.minutes }
            rest &= rest - 1
        }
        return open
    }

    /// Returns the open minutes of an hour of a day, which is counted from 1970-01-01.
    func minutes(ofHour hour: Int, onDay day: Int) -> UInt64 { minutes(ofHour: hour, selection(ofDay: day)) }

    private func coversWholeDay(_ selection: Selection) -> Bool {
        (0..<24).allSatisfy { minutes(ofHour: $0, selection) == ScheduleMask.allMinutes }
    }

    private func firstSelectedDay(from start: Int, before limit: Int) -> Int? {
        var first: Int?
        for mask in masks { first = mask.days.firstDay(from: start, before: first ?? limit, selected: true) ?? first }
        return first
    }

    /// Returns the first day with a minute that no mask selects.
    private func firstPartialDay(from start: Int, before limit: Int) -> Int? {
        var day = start
        while day < limit {
            if let whole = masks.first(where: { $0.coversWholeDays && $0.days.contains(day: day) }) {
                guard let end = whole.days.firstDay(from: day, before: limit, selected: false) else { return nil }
                day = end
            } else if coversWholeDay(selection(ofDay: day)) {
                day += 1
            } else {
                return day
            }
        }
        return nil
    }

    // MARK: All years

    /// Whether every minute of all years is selected.
    var alwaysMatches: Bool {
        if masks.contains(where: { $0.coversWholeDays && $0.days.alwaysMatches }) { return true }
        // Most schedules are decided here, without a look at the days.
        guard masks.count > 1, coversWholeDay(~0 >> UInt32(32 - masks.count)) else { return false }
        return DayMask.allMonthKindsSatisfy { month, length, firstWeekday in
            selections(ofMonth: month, length: length, firstWeekday: firstWeekday).allSatisfy(coversWholeDay)
        }
    }

    /// Whether another union selects every minute that this one selects.
    func isContained(in other: ScheduleUnion) -> Bool {
        DayMask.allMonthKindsSatisfy { month, length, firstWeekday in
            let own = selections(ofMonth: month, length: length, firstWeekday: firstWeekday)
            let others = other.selections(ofMonth: month, length: length, firstWeekday: firstWeekday)
            return zip(own, others).allSatisfy { own, others in
                (0..<24).allSatisfy { minutes(ofHour: $0, own) & ~other.minutes(ofHour: $0, others) == 0 }
            }
        }
    }

    /// Returns the selection of each day of a kind of month.
    private func selections(ofMonth month: Int, length: Int, firstWeekday: Int) -> [Selection] {
        var selections = [Selection](repeating: 0, count: length)
        for (index, mask) in masks.enumerated() {
            var days = mask.days.days(ofMonth: month, length: length, firstWeekday: firstWeekday)
            while days != 0 {
                selections[days.trailingZeroBitCount] |= 1 << UInt32(index)
                days &= days - 1
            }
        }
        return selections
    }

    // MARK: Minutes and days

    private static func split(_ minute: Int) -> (day: Int, minuteOfDay: Int) {
        let minuteOfDay = minute % 1440
        return minuteOfDay < 0 ? (minute / 1440 - 1, minuteOfDay + 1440) : (minute / 1440, minuteOfDay)
    }

    /// Returns the first day that has no minute before the limit.
    private static func dayAfter(_ limit: Int) -> Int { limit == .max ? .max : split(limit - 1).day + 1 }
}
