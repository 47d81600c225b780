public import CivilTime

/// What a database has of the last run: the tracker's state, and what was told of its timeline.
public struct StoreContents: Sendable {
    /// The state as it was last saved whole. Nil where it never was.
    public var snapshot: [UInt8]?
    /// The tracker's inputs since, in order.
    public var journals: [[UInt8]]
    /// The newest revisions of the timeline's events that last, see ``AgentStore/openTimelineEvents()``.
    public var openTimelineEvents: [[UInt8]]
    /// The latest update of any event of the timeline. Nil where there is none.
    public var lastTimelineUpdate: Timestamp?
    /// The payload of the newest location that is still there. Nil where there is none.
    public var newestLocation: [UInt8]?
    /// All documents, by name.
    public var documents: [String: [UInt8]]
    /// The number of the newest record; 0 where nothing was ever recorded.
    public var newestSeq: Int64
}

extension Database {
    /// The state of the last run.
    borrowing func contents() throws(StoreError) -> StoreContents {
        let snapshot = try trackerStateTables.snapshot()
        let journals = try journalEntries(after: snapshot).map(\.bytes)
        let lasting = try timeline.openEvents()
        return StoreContents(
            snapshot: snapshot?.bytes, journals: journals, openTimelineEvents: lasting.payloads,
            lastTimelineUpdate: lasting.lastUpdate,
            newestLocation: try locations(
                from: Timestamp(millisecondsSinceEpoch: .min), to: Timestamp(millisecondsSinceEpoch: .max), limit: 1
            ).last, documents: try metadataTables.documents(),
            newestSeq: counters.newestSeq)
    }
}
