import OdographCivilTime
import OdographGeodesy

/// The event before the open one, as long as its end is provisional.
///
/// A halt begins as a stop and then the trip goes on. A pedestrian leaves a place and turns back at the corner. The
/// events since are then withdrawn, and this event goes on under its identifier.
struct ProvisionallyEndedEvent: Equatable, Sendable, Codable {
    var event: OpenEvent
    var end: Timestamp
    /// The odometer's total at the end, metres.
    var endMeters: Double
    /// The line of a trip. Empty for a stop.
    var polyline = WaypointPolyline()
    /// The departure from this stop, while it is tentative. Nil for a trip and for a certain departure.
    var departure: TentativeDeparture?
}

/// A departure that can still turn out to be none.
struct TentativeDeparture: Equatable, Sendable, Codable {
    /// The place inside the building, while the only evidence is that a person came out of it.
    var indoorPosition: Coordinate?
}
