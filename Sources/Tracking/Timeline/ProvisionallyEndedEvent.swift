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
    /// The walk to the stop, which may turn out to be a vehicle that rolled on in a queue. Nil where there is none.
    var walk: WalkToStop?
    /// The departure from this stop, while it is tentative. Nil for a trip and for a certain departure.
    var departure: TentativeDeparture?
}

/// The walk from a vehicle to the stop after the trip. It is an event of its own when the stop is certain.
struct WalkToStop: Equatable, Sendable, Codable {
    var mode: MovementMode
    var start: Timestamp
    /// The odometer's total at the start, metres.
    var startMeters: Double
    /// The place where the vehicle was left. Nil after the positions were forgotten.
    var place: Coordinate?
}

/// A departure that can still turn out to be none.
struct TentativeDeparture: Equatable, Sendable, Codable {
    /// The place inside the building, while the only evidence is that a person came out of it.
    var indoorPosition: Coordinate?
}
