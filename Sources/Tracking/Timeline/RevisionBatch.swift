import OdographCivilTime

/// The revisions that one input made, oldest first, and what they are made by.
struct RevisionBatch {
    /// The tracker's time.
    let now: Timestamp
    let rules: SegmentationRules
    /// The time up to which positions can have been wrong: they are no movement that the odometer missed.
    let placeInDoubtUntil: Timestamp?
    var events: [TimelineEvent] = []
    /// The movements that the odometer took for the noise of a stop.
    private(set) var missed: [MissedMovement] = []

    /// Adds a movement that the odometer took for noise.
    mutating func add(_ movement: MissedMovement) { missed.append(movement) }

    /// Returns the movement up to a time that the odometer took for noise, metres.
    func missedMeters(until time: Timestamp) -> Double {
        missed.reduce(0) { $1.end <= time ? $0 + $1.meters : $0 }
    }
}
