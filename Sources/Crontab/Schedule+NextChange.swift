import CivilTime

extension Schedule {
    /// One opening or closing of a schedule.
    public struct Change: Hashable, Sendable {
        /// When.
        public let instant: Timestamp
        /// Whether the schedule is open from then on.
        public let isOpen: Bool
    }

    /// The first instant after the given one at which ``isOpen(at:in:)`` changes.
    ///
    /// Computed field by field and transition by transition, not searched minute by minute.
    /// - Returns: nil where it never changes: it is always open, its minutes are among those that the zone's clocks
    ///   skip each year, or the change is beyond what a `Timestamp` can hold.
    public func nextChange(after instant: Timestamp, in zone: ZoneRules) -> Timestamp? {
        if isAlwaysOpen { return nil }
        let start = instant.secondsSinceEpoch
        let first = zone.offsetSpan(atSecond: start)
        let minute = Self.minute(ofSecond: start + Int64(first.utcOffsetSeconds))
        let isInside = mask.matches(minute: minute)
        var search = NextChangeSearch(mask: mask, isInside: isInside, start: start, span: first)
        return search.run(from: minute, in: zone).flatMap(Timestamp.init(secondsSinceEpoch:))
    }

    /// The next openings and closings, in their order.
    /// - Parameter count: how many at most; there are fewer where the schedule stops changing.
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

/// The search for one change, from one stretch of constant offset to the next.
private struct NextChangeSearch {
    let mask: ScheduleMask
    let isInside: Bool
    /// Where the candidate was computed, in seconds since 1970-01-01T00:00:00Z.
    var start: Int64
    var span: ZoneRules.OffsetSpan

    /// More than two offsets can differ by: the earliest (-24:59:59) and the latest (+25:59:59).
    private static let offsetMarginSeconds: Int64 = 2 * 26 * 3600
    /// A day of a given kind (29 February on a given weekday) comes again after 40 years at the latest, and the rules
    /// of a zone depend on nothing but the kind of the year: what the clocks skip through all of them never comes.
    private static let horizonSeconds: Int64 = 41 * 366 * 86_400

    mutating func run(from startMinute: Int, in zone: ZoneRules) -> Int64? {
        guard var candidate = mask.nextChange(after: startMinute, isInside: isInside, before: .max) else { return nil }
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
            if mask.matches(minute: minute) != isInside { return transition }
            if after < before {
                // The clock was set back: some minutes come again, and a change among them comes first.
                let limit = min(candidate, Schedule.minute(ofSecond: before) + 1)
                candidate = mask.nextChange(after: minute, isInside: isInside, before: limit) ?? candidate
            } else if minute >= candidate {
                // The clock was set forward over the candidate.
                let horizon = max(firstStart, zone.lastTransitionSecond ?? .min) + Self.horizonSeconds
                guard transition <= horizon, let next = mask.nextChange(after: minute, isInside: isInside, before: .max)
                else { return nil }
                candidate = next
                start = transition
            }
        }
    }

    /// All minutes from the start to the candidate are alike. A transition whose both sides lie among them changes
    /// nothing: only those soon after the start or shortly before the candidate can.
    private mutating func skipIrrelevantTransitions(before candidate: Int, in zone: ZoneRules) -> Bool {
        let relevantFrom = Int64(candidate) * 60 - Self.offsetMarginSeconds
        guard span.endSecond > start + Self.offsetMarginSeconds, span.endSecond < relevantFrom else { return false }
        span = zone.offsetSpan(atSecond: relevantFrom)
        return true
    }
}
