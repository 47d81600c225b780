import OdographCivilTime

/// A movement that the odometer took for the noise of a stop, and that the timeline knows as a trip.
struct MissedMovement: Equatable, Sendable {
    /// The length by the positions that the odometer has not counted, metres, > 0.
    let meters: Double
    /// Whether it ended at the place where it began.
    let hasReturned: Bool
    let end: Timestamp
}
