import OdographCivilTime
import OdographTerminal

/// A day on the wall clocks of a zone. It has 23 or 25 hours when the clocks change.
package struct LocalDay: Hashable, Sendable {
    /// The date.
    package let date: CivilDate
    /// The instants of the day, from its beginning to before the next day.
    package let span: Range<Timestamp>

    /// The length, hours.
    package var hours: Double { span.upperBound.seconds(since: span.lowerBound) / 3600 }

    /// Returns the days from a date to before another one. A date that a zone has skipped, because it moved across the
    /// date line, is not among them.
    package static func days(from first: CivilDate, before end: CivilDate, in zone: ZoneRules) -> [LocalDay] {
        guard first.daysSinceEpoch < end.daysSinceEpoch else { return [] }
        return (first.daysSinceEpoch..<end.daysSinceEpoch).compactMap { day in
            guard let start = start(ofDay: day, zone), let next = self.start(ofDay: day + 1, zone), start < next
            else { return nil }
            return LocalDay(date: CivilDate(daysSinceEpoch: day), span: start..<next)
        }
    }

    /// Returns a day; nil if the zone has skipped it.
    package static func day(_ date: CivilDate, in zone: ZoneRules) -> LocalDay? {
        days(from: date, before: CivilDate(daysSinceEpoch: date.daysSinceEpoch + 1), in: zone).first
    }

    private static func start(ofDay day: Int, _ zone: ZoneRules) -> Timestamp? {
        zone.instant(of: LocalTime(date: CivilDate(daysSinceEpoch: day), hour: 0, minute: 0))
    }
}
