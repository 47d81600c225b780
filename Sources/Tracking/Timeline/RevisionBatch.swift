import CivilTime

/// Revisions that one input made, oldest first.
struct RevisionBatch {
    /// The tracker's time.
    let now: Timestamp
    var events: [TimelineEvent] = []

    init(now: Timestamp) {
        self.now = now
    }
}
