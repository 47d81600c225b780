import OdographCivilTime

extension Timestamp {
    /// Parses a time as ``init(argument:now:)`` does, except that a date or time without an offset is in a zone's wall
    /// clock. Of a time that occurs twice it is the first; for a skipped time it is the instant of the clock change.
    /// - Returns: nil if the text is none of these.
    public init?(argument text: String, now: Timestamp, zone: ZoneRules) {
        guard let read = Timestamp(argument: text, now: now) else { return nil }
        guard Self.parseWithoutZone(text) != nil else {
            self = read
            return
        }
        guard let instant = zone.instant(ofWallClock: read) else { return nil }
        self = instant
    }

    /// Returns the start of the day in a zone.
    public func startOfDay(in zone: ZoneRules) -> Timestamp {
        let date = zone.localTime(at: self).date
        return zone.instant(of: LocalTime(date: date, hour: 0, minute: 0)) ?? self
    }
}

extension ZoneRules {
    /// Returns the instant, with its milliseconds, at which the wall clock shows what a clock of UTC shows at a time;
    /// see ``instant(of:)``.
    package func instant(ofWallClock time: Timestamp) -> Timestamp? {
        instant(of: LocalTime(secondsSinceEpoch: time.secondsSinceEpoch))?
            .advanced(byMilliseconds: time.millisecondsSinceEpoch - time.secondsSinceEpoch * 1000)
    }

    /// Returns the instant of a wall clock time: the first if it occurs twice, the instant of the clock change if it is
    /// skipped; nil if it is out of range.
    package func instant(of local: LocalTime) -> Timestamp? {
        switch instants(of: local) {
        case .once(let instant)?, .twice(let instant, _)?, .skipped(let instant)?: instant
        case nil: nil
        }
    }
}
