import OdographCivilTime

extension Schedule {
    /// An opening or closing of a schedule.
    public struct Change: Hashable, Sendable {
        /// The time of the change.
        public let instant: Timestamp
        /// Whether the schedule is open from this time on.
        public let isOpen: Bool
    }

    /// Returns the first instant after the given one at which ``isOpen(at:in:)`` changes.
    ///
    /// The result is computed from fields and transitions, without a search over minutes. Where one expression ends and
    /// another one begins in the same minute, there is no change.
    /// - Returns: nil if there is no change: the schedule is always open, or the zone's clocks skip its minutes each
    ///   year, or the change is beyond the range of `Timestamp`.
    public func nextChange(after instant: Timestamp, in zone: ZoneRules) -> Timestamp? {
        if isAlwaysOpen { return nil }
        let start = instant.secondsSinceEpoch
        let first = zone.offsetSpan(atSecond: start)
        let minute = Self.minute(ofSecond: start + Int64(first.utcOffsetSeconds))
        let isInside = union.matches(minute: minute)
        var search = NextChangeSearch(union: union, isInside: isInside, start: start, span: first)
        return search.run(from: minute, in: zone).flatMap(Timestamp.init(secondsSinceEpoch:))
    }

    /// Returns the next openings and closings, in order.
    /// - Parameter count: The greatest number of results; there are fewer if the schedule stops changing.
    public func nextChanges(_ count: Int, after instant: Timestamp, in zone: ZoneRules) -> [Change] {
        var changes: [Change] = []
        var last = instant
        var isOpen = isOpen(at: instant, in: zone)
        while changes.count < count, let next = nextChange(after: last, in: zone) {
            isOpen.toggle()
            changes.append(Change(instant: next, isOpen: isOpen))
            last = next
        }
        return changes
    }
}

/// The search for one change, from one span of constant offset to the next.
private struct NextChangeSearch {
    let union: ScheduleUnion
    let isInside: Bool
    /// The time from which the candidate was computed, seconds since 1970-01-01T00:00:00Z.
    var start: Int64
    var span: ZoneRules.OffsetSpan

    /// More than the difference between the least offset (−24:59:59) and the greatest (+25:59:59).
    private static let offsetMarginSeconds: Int64 = 2 * 26 * 3600
    /// The time after which the search can stop. A day of a given kind (29 February on a given weekday) recurs within
    /// 40 years, and a zone's rules depend only on the kind of year. A minute skipped in all these years never occurs.
    private static let horizonSeconds: Int64 = 41 * 366 * 86_400

    mutating func run(from startMinute: Int, in zone: ZoneRules) -> Int64? {
        guard var candidate = union.nextChange(after: startMinute, isInside: isInside, before: .max) else { return nil }
        let firstStart = start
        while true {
            let second = Int64(candidate) * 60 - Int64(span.utcOffsetSeconds)
            if second < span.endSecond { return second }
            if skipIrrelevantTransitions(before: candidate, in: zone) { continue }
            let transition = span.endSecond
            let before = transition + Int64(span.utcOffsetSeconds)
            span = zone.offsetSpan(atSecond: transition)
            let after = transition + Int64(span.utcOffsetSeconds)
            let minute = Schedule.minute(ofSecond: after)
            if union.matches(minute: minute) != isInside { return transition }
            if after < before {
                // The clock was set back. Some minutes occur again, and a change among them is the first.
                let limit = min(candidate, Schedule.minute(ofSecond: before) + 1)
                candidate = union.nextChange(after: minute, isInside: isInside, before: limit) ?? candidate
            } else if minute >= candidate {
                // The clock was set forward past the candidate.
                let horizon = max(firstStart, zone.lastTransitionSecond ?? .min) + Self.horizonSeconds
                guard transition <= horizon,
                    let next = union.nextChange(after: minute, isInside: isInside, before: .max)
                else { return nil }
                candidate = next
                start = transition
            }
        }
    }

    /// Skips transitions that cannot change the state: those far enough from both the start and the candidate. All
    /// local minutes between these two have the same state.
    private mutating func skipIrrelevantTransitions(before candidate: Int, in zone: ZoneRules) -> Bool {
        let relevantFrom = Int64(candidate) * 60 - Self.offsetMarginSeconds
        guard span.endSecond > start + Self.offsetMarginSeconds, span.endSecond < relevantFrom else { return false }
        span = zone.offsetSpan(atSecond: relevantFrom)
        return true
    }
}
