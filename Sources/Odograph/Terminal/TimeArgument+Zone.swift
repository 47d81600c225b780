import CivilTime

extension Timestamp {
    /// Reads a time as a person types it, as ``init(argument:now:)`` does, but a date, and a date and a time, are of a zone's
    /// wall clock: of an hour that comes twice the first, of one that is left out the instant after.
    /// - Returns: nil where it is none of these.
    public init?(argument text: String, now: Timestamp, zone: ZoneRules) {
        guard let read = Timestamp(argument: text, now: now) else { return nil }
        // A date, or a date and a time, that no "Z" and no "+01:00" follows.
        let isLocal = ["T00:00:00Z", ":00Z", "Z"].contains { Timestamp(iso8601: text + $0) != nil }
        guard isLocal else {
            self = read
            return
        }
        switch zone.instants(of: LocalTime(secondsSinceEpoch: read.secondsSinceEpoch)) {
        case .once(let instant)?, .twice(let instant, _)?, .skipped(let instant)?: self = instant
        case nil: return nil
        }
    }

    /// When the day began that it is in, by a zone's wall clock.
    public func startOfDay(in zone: ZoneRules) -> Timestamp {
        let date = zone.localTime(at: self).date
        return switch zone.instants(of: LocalTime(date: date, hour: 0, minute: 0)) {
        case .once(let instant)?, .twice(let instant, _)?, .skipped(let instant)?: instant
        case nil: self
        }
    }
}
