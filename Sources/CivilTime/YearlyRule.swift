/// The offset rule of a POSIX `TZ` text, as in the footer of a zone file: a standard offset and, if the zone changes
/// its clocks, the two changes of each year.
///
/// Source: POSIX.1-2017, Base Definitions 8.3, with the extensions of RFC 9636, section 3.3.1.
struct YearlyRule: Hashable, Sendable {
    /// Seconds east of UTC outside daylight saving time.
    let standardOffsetSeconds: Int
    /// The daylight saving time; nil if the zone has one offset all year.
    let daylight: Daylight?
    /// Whether both changes are more than a week from the turn of the year, so that a query needs only the changes of
    /// its own year. True for every zone in use; a rule may differ.
    private let changesStayInsideYear: Bool

    /// Daylight saving time: its offset (which may be the smaller one, as in Dublin) and its changes.
    struct Daylight: Hashable, Sendable {
        let offsetSeconds: Int
        let start: YearlyChange
        let end: YearlyChange
    }

    init(standardOffsetSeconds: Int, daylight: Daylight?) {
        self.standardOffsetSeconds = standardOffsetSeconds
        // A daylight saving time with the standard offset has no effect.
        self.daylight = daylight?.offsetSeconds == standardOffsetSeconds ? nil : daylight
        changesStayInsideYear = daylight.map { $0.start.staysInsideYear && $0.end.staysInsideYear } ?? true
    }

    func offsetSpan(atSecond second: Int64) -> ZoneRules.OffsetSpan {
        guard let daylight else {
            return ZoneRules.OffsetSpan(utcOffsetSeconds: standardOffsetSeconds, endSecond: .max)
        }
        let year = CivilDate(daysSinceEpoch: Int((second + Int64(standardOffsetSeconds)).flooredDivision(by: 86_400)))
            .year
        let isDaylight: Bool
        let end: Int64
        if changesStayInsideYear {
            (isDaylight, end) = stateWithinYear(at: second, ofYear: year, daylight)
        } else {
            isDaylight = isInDaylight(second, near: year, daylight)
            end = nextTransition(after: second, from: isDaylight, near: year, daylight)
        }
        return ZoneRules.OffsetSpan(
            utcOffsetSeconds: isDaylight ? daylight.offsetSeconds : standardOffsetSeconds, endSecond: end)
    }

    private func start(_ daylight: Daylight, ofYear year: Int) -> Int64 {
        daylight.start.localSecond(ofYear: year) - Int64(standardOffsetSeconds)
    }

    private func end(_ daylight: Daylight, ofYear year: Int) -> Int64 {
        daylight.end.localSecond(ofYear: year) - Int64(daylight.offsetSeconds)
    }

    private func stateWithinYear(at second: Int64, ofYear year: Int, _ daylight: Daylight) -> (Bool, Int64) {
        let start = start(daylight, ofYear: year)
        let end = end(daylight, ofYear: year)
        let isNorthern = start < end
        if second < min(start, end) { return (!isNorthern, min(start, end)) }
        if second < max(start, end) { return (isNorthern, max(start, end)) }
        return (!isNorthern, isNorthern ? self.start(daylight, ofYear: year + 1) : self.end(daylight, ofYear: year + 1))
    }

    // A period may extend over the turn of the year, or all year ("EST5EDT,0/0,J365/25"). So the periods of the
    // neighbouring years are tested too.
    private func isInDaylight(_ second: Int64, near year: Int, _ daylight: Daylight) -> Bool {
        for candidate in year - 2...year + 2 {
            let start = start(daylight, ofYear: candidate)
            let ownEnd = end(daylight, ofYear: candidate)
            let end = ownEnd < start ? end(daylight, ofYear: candidate + 1) : ownEnd
            if start <= second && second < end { return true }
        }
        return false
    }

    private func nextTransition(after second: Int64, from state: Bool, near year: Int, _ daylight: Daylight) -> Int64 {
        var first = Int64.max
        for candidate in year - 1...year + 2 {
            for change in [start(daylight, ofYear: candidate), end(daylight, ofYear: candidate)]
            where change > second && change < first {
                let changedYear = CivilDate(daysSinceEpoch: Int(change.flooredDivision(by: 86_400))).year
                if isInDaylight(change, near: changedYear, daylight) != state { first = change }
            }
        }
        return first
    }
}

/// One of the two changes of the clocks in a year.
struct YearlyChange: Hashable, Sendable {
    enum Day: Hashable, Sendable {
        /// Day 1 to 365. 29 February is not counted, so 60 is always 1 March.
        case ofCommonYear(Int)
        /// Day 0 to 365. 29 February is counted.
        case ofYear(Int)
        /// The n-th (1 to 4; 5: the last) weekday (0: Sunday) of a month (1 to 12).
        case weekday(Int, week: Int, month: Int)
    }

    let day: Day
    /// Seconds from the day's local midnight, −604,799 to 604,799.
    let timeSeconds: Int

    /// Returns the change in seconds since 1970-01-01T00:00:00 on the wall clock that is valid before it.
    func localSecond(ofYear year: Int) -> Int64 {
        Int64(daysSinceEpoch(ofYear: year)) * 86_400 + Int64(timeSeconds)
    }

    /// Whether the change is far from the turn of the year. The time may move it by a week, and an offset by a day.
    var staysInsideYear: Bool {
        switch day {
        case .ofCommonYear(let day), .ofYear(let day): (20...345).contains(day)
        case .weekday(_, _, let month): (2...11).contains(month)
        }
    }

    private func daysSinceEpoch(ofYear year: Int) -> Int {
        let newYear = CivilDate(year: year, month: 1, day: 1).daysSinceEpoch
        switch day {
        case .ofCommonYear(let day):
            let isPastLeapDay = day >= 60 && CivilDate.daysIn(month: 2, ofYear: year) == 29
            return newYear + day - 1 + (isPastLeapDay ? 1 : 0)
        case .ofYear(let day):
            return newYear + day
        case .weekday(let weekday, let week, let month):
            let first = CivilDate(year: year, month: month, day: 1)
            let day = 1 + (weekday - first.weekday + 7) % 7 + (week - 1) * 7
            let fits = day <= CivilDate.daysIn(month: month, ofYear: year)
            return first.daysSinceEpoch + (fits ? day : day - 7) - 1
        }
    }
}
