extension Schedule {
    /// A Boolean value that indicates whether each minute of this schedule is also one of another schedule, on the same wall
    /// clock. Decided for all years at once.
    public func isContained(in other: Schedule) -> Bool { mask.isContained(in: other.mask) }
}

extension ScheduleMask {
    /// Whether each minute that this mask selects is selected by another one too.
    ///
    /// A mask selects the minutes of all combinations of its minutes, hours and days. So where it selects any minute at all,
    /// each of the three must lie within the other's.
    func isContained(in other: ScheduleMask) -> Bool {
        if minutes == 0 || hours == 0 || days.neverMatches { return true }
        return minutes & ~other.minutes == 0 && hours & ~other.hours == 0 && days.isContained(in: other.days)
    }
}
