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
    /// The number of private trips, and the time in transit of them, seconds.
    package private(set) var (privateTrips, privateTransitSeconds) = (0, 0.0)
    /// The beginning of the first trip that is not private.
    package private(set) var firstStart: Timestamp?
    /// The end of the last trip that is not private; nil if there is none, or it lasts.
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
            let use = TripUse(event)
            if use != .ordinary { metersByUse[use, default: 0] += distance }
            guard use != .privateUse else {
                privateTrips += 1
                privateTransitSeconds += event.duration
                return
            }
            if let driving = event.driving { harshEvents = (harshEvents ?? 0) + driving.harshCount }
            firstStart = firstStart ?? event.startDate
            lastEnd = event.endDate
        case .stationary: stops += 1
        case .offTheGrid: unseenMeters += event.distanceInMeters ?? 0
        default: break
        }
    }
}

extension TripTotals {
    /// The distance of the private trips, metres.
    package var privateMeters: Double { metersByUse[.privateUse] ?? 0 }

    /// The distance of the trips with a tag that are not private, metres.
    package var taggedMeters: Double {
        metersByUse.reduce(0) { sum, use in
            if case .tagged = use.key { sum + use.value } else { sum }
        }
    }
}
