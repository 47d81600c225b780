import OdographStore

/// Committed records, and what decides how they are published.
struct CommittedRecords: Sendable {
    /// The records, in the order of their `seq`.
    var records: [StoredRecord]
    /// The capture time of the newest record of each kind, on the monotonic clock. A kind is missing if this record is
    /// old.
    var capturedUptimeMilliseconds: [RecordKind: Int64]
    /// Whether the vehicle starts or stops with one of the records.
    var hasMotionChange = false
    /// Whether the newest revision of the timeline says only that an event lasts, see ``EventProgress``.
    var isTimelineUnchanged = false
}
