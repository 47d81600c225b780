import OdographCivilTime

/// The contents of a database from the last run: the tracker's state, the open timeline events and the documents.
package struct StoreContents: Sendable {
    /// The newest snapshot of the tracker's state. Nil if there is none.
    package var snapshot: [UInt8]?
    /// The tracker's inputs since the snapshot, in order.
    package var journals: [[UInt8]]
    /// The newest revisions of the timeline events that are unfinished or may continue.
    package var openTimelineEvents: [[UInt8]]
    /// The latest update of any timeline event. Nil if there is none.
    package var lastTimelineUpdate: Timestamp?
    /// The payload of the newest stored location. Nil if there is none.
    package var newestLocation: [UInt8]?
    /// All documents, by name.
    package var documents: [String: [UInt8]]
    /// The number of the newest record; 0 if there never was one.
    package var newestSeq: Int64
    /// See ``OpeningReport/lostRecords``.
    package var lostRecords: Int
}

extension Database {
    /// Returns the contents from the last run.
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
            newestSeq: counters.newestSeq, lostRecords: report.lostRecords)
    }
}
