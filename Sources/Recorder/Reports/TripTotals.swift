import OdographCivilTime
import OdographWire

/// The sums over some events of a timeline.
package struct TripTotals: Hashable, Sendable {
    /// The number of trips.
    package private(set) var trips = 0
    /// The distance of the trips, metres.
    package private(set) var meters = 0.0
    /// The part of ``meters`` for each use that is not ordinary.
    package private(set) var metersByUse: [TripUse: Double] = [:]
    /// The time in transit, seconds.
    package private(set) var transitSeconds = 0.0
    /// The number of harsh accelerations, brakings and cornerings of the trips; nil if no trip has reported its driving
    /// style.
    package private(set) var harshEvents: Int?
    /// The number of stops.
    package private(set) var stops = 0
    /// The estimated distance while there were no positions, metres. It is not in ``meters``.
    package private(set) var unseenMeters = 0.0
    /// The beginning of the first trip.
    package private(set) var firstStart: Timestamp?
    /// The end of the last trip; nil if there is none, or it lasts.
    package private(set) var lastEnd: Timestamp?

    /// Creates sums of 0.
    package init() {}

    /// Adds an event. Events are added in the order of their starts.
    package mutating func add(_ event: TimelineEventRevision) {
        switch event.type {
        case .inTransport:
            let distance = event.distanceInMeters ?? 0
            trips += 1
            meters += distance
            transitSeconds += event.duration
            if let driving = event.driving { harshEvents = (harshEvents ?? 0) + driving.harshCount }
            let use = TripUse(event)
            if use != .ordinary { metersByUse[use, default: 0] += distance }
            firstStart = firstStart ?? event.startDate
            lastEnd = event.endDate
        case .stationary: stops += 1
        case .offTheGrid: unseenMeters += event.distanceInMeters ?? 0
        default: break
        }
    }
}

/// A day of a vehicle, and the sums over the events that begin on it.
package struct DayTotals: Hashable, Sendable {
    /// The day.
    package let day: LocalDay
    /// The sums.
    package let totals: TripTotals

    /// Returns the sums for each day. An event counts on the day on which it begins, so that no trip counts twice.
    /// - Parameters:
    ///   - days: The days.
    ///   - events: The events, ordered by start; also events that begin on other days.
    ///   - zone: The zone of the days.
    package static func of(_ days: [LocalDay], _ events: [TimelineEventRevision], in zone: ZoneRules) -> [DayTotals] {
        var sums: [CivilDate: TripTotals] = [:]
        for event in events { sums[zone.localTime(at: event.startDate).date, default: TripTotals()].add(event) }
        return days.map { DayTotals(day: $0, totals: sums[$0.date] ?? TripTotals()) }
    }
}
