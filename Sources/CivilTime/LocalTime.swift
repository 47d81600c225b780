/// A date and time of day on a wall clock, without a zone.
public struct LocalTime: Hashable, Sendable {
    /// The date.
    public let date: CivilDate
    /// The hour, 0 to 23.
    public let hour: Int
    /// The minute, 0 to 59.
    public let minute: Int
    /// The second, 0 to 59.
    public let second: Int

    /// Creates a local time without a check.
    public init(date: CivilDate, hour: Int, minute: Int, second: Int = 0) {
        self.date = date
        self.hour = hour
        self.minute = minute
        self.second = second
    }

    /// Creates the time that is a number of seconds after 1970-01-01T00:00:00 on the same clock.
    public init(secondsSinceEpoch: Int64) {
        let day = secondsSinceEpoch.flooredDivision(by: 86_400)
        let secondOfDay = Int(secondsSinceEpoch - day * 86_400)
        self.init(
            date: CivilDate(daysSinceEpoch: Int(day)),
            hour: secondOfDay / 3600, minute: secondOfDay / 60 % 60, second: secondOfDay % 60)
    }

    /// Seconds since 1970-01-01T00:00:00 on the same clock, without changes of the clock.
    public var secondsSinceEpoch: Int64 {
        Int64(date.daysSinceEpoch) * 86_400 + Int64(hour * 3600 + minute * 60 + second)
    }
}

/// The instants at which a wall clock shows a local time.
public enum LocalTimeInstants: Hashable, Sendable {
    /// One instant, the usual case.
    case once(Timestamp)
    /// Two instants, because the clock was set back between them.
    case twice(first: Timestamp, second: Timestamp)
    /// No instant, because the clock was set forward past the local time at this instant.
    case skipped(at: Timestamp)
}

extension ZoneRules {
    /// Returns the time of the zone's wall clocks at an instant, to the second.
    public func localTime(at instant: Timestamp) -> LocalTime {
        let second = instant.secondsSinceEpoch
        return LocalTime(secondsSinceEpoch: second + Int64(offsetSpan(atSecond: second).utcOffsetSeconds))
    }

    /// Returns the instants at which the zone's wall clocks show a local time. Of more than two instants, which no zone
    /// in use has, it returns the first and the last.
    /// - Returns: nil if the result is beyond the range of `Timestamp`.
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
