import Odograph
import CivilTime

extension Timestamp {
    /// Reads a time as a person types it, as ``init(argument:now:)`` does, but a date, and a date and a time, are of a zone's
    /// wall clock: of an hour that comes twice the first, of one that is left out the instant after.
    /// - Returns: nil where it is none of these.
    public init?(argument text: String, now: Timestamp, zone: ZoneRules) {
        guard let read = Timestamp(argument: text, now: now) else { return nil }
        guard Self.parseWithoutZone(text) != nil else {
            self = read
            return
        }
        guard let instant = zone.instant(of: LocalTime(secondsSinceEpoch: read.secondsSinceEpoch)) else { return nil }
        self = instant
    }

    /// When the day began that it is in, by a zone's wall clock.
    public func startOfDay(in zone: ZoneRules) -> Timestamp {
        let date = zone.localTime(at: self).date
        return zone.instant(of: LocalTime(date: date, hour: 0, minute: 0)) ?? self
    }
}

extension ZoneRules {
    /// When the wall clock shows a time: of an hour that comes twice the first, of one that is left out the instant after;
    /// nil where no zone's does.
    func instant(of local: LocalTime) -> Timestamp? {
        switch instants(of: local) {
        case .once(let instant)?, .twice(let instant, _)?, .skipped(let instant)?: instant
        case nil: nil
        }
    }
}
