extension Schedule {
    /// Whether another schedule on the same wall clock is open in every minute of this one, in all years.
    public func isContained(in other: Schedule) -> Bool { mask.isContained(in: other.mask) }
}

extension ScheduleMask {
    /// Whether another mask selects every minute that this mask selects.
    ///
    /// A mask selects all combinations of its minutes, hours and days. So if it selects any minute, each of the three
    /// must be a subset of the other's.
    func isContained(in other: ScheduleMask) -> Bool {
        if minutes == 0 || hours == 0 || days.neverMatches { return true }
        return minutes & ~other.minutes == 0 && hours & ~other.hours == 0 && days.isContained(in: other.days)
    }
}
