import OdographCivilTime
import OdographWire

/// A day of a vehicle, and the sums over the events that begin on it.
package struct DayTotals: Hashable, Sendable {
    /// The day.
    package let day: LocalDay
    /// The sums.
    package let totals: TripTotals
    /// Whether it is known what the vehicle did at some time of the day. Otherwise the sums say nothing: they are not
    /// 0 kilometres. This is so for days in the future, for days without tracking, and if nothing has arrived.
    package let isKnown: Bool

    /// Returns the sums for each day. An event counts on the day on which it begins, so that no trip counts twice.
    /// - Parameters:
    ///   - days: The days.
    ///   - events: The events, ordered by start; also events that begin on other days.
    ///   - zone: The zone of the days.
    package static func of(_ days: [LocalDay], _ events: [TimelineEventRevision], in zone: ZoneRules) -> [DayTotals] {
        var sums: [CivilDate: TripTotals] = [:]
        for event in events { sums[zone.localTime(at: event.startDate).date, default: TripTotals()].add(event) }
        let known = events.compactMap(\.knownTime)
        return days.map { day in
            DayTotals(
                day: day, totals: sums[day.date] ?? TripTotals(),
                // What ends at midnight says nothing about the next day.
                isKnown: known.contains {
                    day.span.contains($0.lowerBound)
                        || $0.lowerBound < day.span.lowerBound && $0.upperBound > day.span.lowerBound
                })
        }
    }
}

extension TimelineEventRevision {
    /// The time in which the event says what the vehicle did; nil for one that says that it is not known. An event
    /// without an end lasts at least until its last revision.
    fileprivate var knownTime: ClosedRange<Timestamp>? {
        switch type {
        case .stationary, .inTransport: startDate...max(startDate, endDate ?? lastUpdateDate)
        default: nil
        }
    }
}
