/// What a wall clock shows: a date and a time of day without a zone.
public struct LocalTime: Hashable, Sendable {
    /// The calendar's date.
    public let date: CivilDate
    /// 0 to 23.
    public let hour: Int
    /// 0 to 59.
    public let minute: Int
    /// 0 to 59.
    public let second: Int

    /// - Parameters: as the properties of the same names; no check is made.
    public init(date: CivilDate, hour: Int, minute: Int, second: Int = 0) {
        self.date = date
        self.hour = hour
        self.minute = minute
        self.second = second
    }

    /// The time that is this many seconds after 1970-01-01T00:00:00 on the same clock.
    public init(secondsSinceEpoch: Int64) {
        let day = secondsSinceEpoch.flooredDivision(by: 86_400)
        let secondOfDay = Int(secondsSinceEpoch - day * 86_400)
        self.init(
            date: CivilDate(daysSinceEpoch: Int(day)),
            hour: secondOfDay / 3600, minute: secondOfDay / 60 % 60, second: secondOfDay % 60)
    }

    /// Seconds since 1970-01-01T00:00:00 on the same clock, as if it had never been changed.
    public var secondsSinceEpoch: Int64 {
        Int64(date.daysSinceEpoch) * 86_400 + Int64(hour * 3600 + minute * 60 + second)
    }
}

/// When a wall clock shows a local time.
public enum LocalTimeInstants: Hashable, Sendable {
    /// At one instant, as nearly always.
    case once(Timestamp)
    /// At two, because the clock was set back in between.
    case twice(first: Timestamp, second: Timestamp)
    /// Never: the clock was set forward over it at this instant.
    case skipped(at: Timestamp)
}

extension ZoneRules {
    /// What the zone's wall clocks show at an instant, to the second.
    public func localTime(at instant: Timestamp) -> LocalTime {
        let second = instant.secondsSinceEpoch
        return LocalTime(secondsSinceEpoch: second + Int64(offsetSpan(atSecond: second).utcOffsetSeconds))
    }

    /// When the zone's wall clocks show a local time. Of more than two instants, which no zone in use has, the first
    /// and the last.
    /// - Returns: nil where that is beyond what a `Timestamp` can hold.
    public func instants(of local: LocalTime) -> LocalTimeInstants? {
        let localSecond = local.secondsSinceEpoch
        var start = localSecond - Int64(Self.offsetRangeSeconds.upperBound)
        let limit = localSecond - Int64(Self.offsetRangeSeconds.lowerBound)
        var first: Int64?
        var last: Int64?
        var skippedAt = start
        while start <= limit {
            let span = offsetSpan(atSecond: start)
            let second = localSecond - Int64(span.utcOffsetSeconds)
            if second >= start && second < span.endSecond {
                if first == nil { first = second } else { last = second }
            }
            if second >= span.endSecond { skippedAt = span.endSecond }
            guard span.endSecond != .max else { break }
            start = span.endSecond
        }
        guard let first else { return Timestamp(secondsSinceEpoch: skippedAt).map { .skipped(at: $0) } }
        guard let firstInstant = Timestamp(secondsSinceEpoch: first) else { return nil }
        guard let last else { return .once(firstInstant) }
        return Timestamp(secondsSinceEpoch: last).map { .twice(first: firstInstant, second: $0) }
    }
}
