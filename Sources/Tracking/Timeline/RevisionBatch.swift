import OdographCivilTime

/// The revisions that one input made, oldest first, and what they are made by.
struct RevisionBatch {
    /// The tracker's time.
    let now: Timestamp
    let rules: SegmentationRules
    var events: [TimelineEvent] = []
}
