extension Schedule {
    /// Whether another schedule on the same wall clock is open in every minute of this one, in all years.
    public func isContained(in other: Schedule) -> Bool { union.isContained(in: other.union) }
}
