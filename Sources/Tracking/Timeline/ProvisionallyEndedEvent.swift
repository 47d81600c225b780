import CivilTime
import Geodesy

/// The event before the one that lasts, which has ended unless that turns out to be none.
///
/// A halt is told as a stop and then goes on, somebody leaves a place and turns back at the corner: what was told since is
/// withdrawn, and this goes on under its identifier.
struct ProvisionallyEndedEvent: Equatable, Sendable, Codable {
    var event: OpenEvent
    var end: Timestamp
    /// The odometer's total there, metres.
    var endMeters: Double
    /// Of a stay: its place.
    var stopCenter: RobustCenter?
    /// Of a way: its line.
    var polyline = WaypointPolyline()
}
