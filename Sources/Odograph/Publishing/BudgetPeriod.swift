import OdographCivilTime

/// A month of a budget: from midnight of its first day to that of the next, in the vehicle's time zone.
struct BudgetPeriod: Hashable, Sendable {
    /// The beginning.
    var start: Timestamp
    /// The end, which is the beginning of the next period.
    var end: Timestamp

    init(start: Timestamp, end: Timestamp) { (self.start, self.end) = (start, end) }

    /// Creates the period that contains an instant.
    /// - Parameter firstDay: The day of the month on which it begins, 1 to 31. A shorter month begins on its last day.
    init(containing instant: Timestamp, firstDay: Int, zone: ZoneRules) {
        let today = zone.localTime(at: instant).date
        var (year, month) = (today.year, today.month)
        if instant < Self.beginning(year: year, month: month, firstDay: firstDay, zone: zone) {
            (year, month) = month == 1 ? (year - 1, 12) : (year, month - 1)
        }
        let (nextYear, nextMonth) = month == 12 ? (year + 1, 1) : (year, month + 1)
        self.init(
            start: Self.beginning(year: year, month: month, firstDay: firstDay, zone: zone),
            end: Self.beginning(year: nextYear, month: nextMonth, firstDay: firstDay, zone: zone))
    }

    private static func beginning(year: Int, month: Int, firstDay: Int, zone: ZoneRules) -> Timestamp {
        let (nextYear, nextMonth) = month == 12 ? (year + 1, 1) : (year, month + 1)
        let days =
            CivilDate(year: nextYear, month: nextMonth, day: 1).daysSinceEpoch
            - CivilDate(year: year, month: month, day: 1).daysSinceEpoch
        let midnight = LocalTime(
            date: CivilDate(year: year, month: month, day: min(firstDay, days)), hour: 0, minute: 0)
        switch zone.instants(of: midnight) {
        case .once(let instant): return instant
        case .twice(let first, _): return first
        case .skipped(let instant): return instant
        // No clock shows such a year.
        case nil: return Timestamp(millisecondsSinceEpoch: .min)
        }
    }
}
