import OdographCivilTime

/// Distance that the odometer counts now, although it was driven before an earlier fix.
///
/// After a silence at a stop, some fixes must confirm that the vehicle is elsewhere. The distance of the silence counts
/// only then, but it does not belong to the movement since the first of those fixes.
struct LateDistance: Equatable, Sendable, Codable {
    /// The distance, metres; a part of what the odometer counts at this fix.
    var meters: Double
    /// The interval in which it was driven: between two consecutive fixes of a silence, or over several fixes.
    var after: Timestamp
    var before: Timestamp

    /// The length of that interval, seconds.
    var seconds: Double { before.seconds(since: after) }
}
