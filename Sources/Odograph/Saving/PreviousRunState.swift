import OdographCivilTime
import OdographJSON
import OdographStore
import OdographTracking
import OdographWire

/// The state that the last run left in the store.
package struct PreviousRunState: Sendable {
    /// The newest snapshot. nil if there is none.
    package var snapshot: [UInt8]?
    /// The journal entries since the snapshot.
    package var journalEntries: [[UInt8]]
    /// The newest revision of each published timeline event that is not final.
    package var publishedEvents: [TimelineEvent]
    /// The latest update of any published event.
    package var lastUpdate: Timestamp?
    /// The newest location that is still stored.
    package var lastLocation: LocationEvent?
    /// The most records that may be published of a later state, see `OpeningReport.lostRecords`.
    package var lostRecords: Int
    /// Whether nothing was ever recorded.
    package var isEmpty: Bool

    /// The newest journal entry, if all of it is readable.
    package var lastJournalEntry: InputJournalEntry? {
        journalEntries.last.flatMap { try? InputJournalEntry(bytes: $0) }.flatMap { $0.inputs.areComplete ? $0 : nil }
    }

    /// Decodes the contents of a database.
    package init(_ contents: StoreContents) {
        (snapshot, journalEntries) = (contents.snapshot, contents.journals)
        publishedEvents = contents.openTimelineEvents.compactMap {
            (try? JSONCoder.decode(TimelineMessage.self, from: $0)).flatMap { TimelineEvent($0.timelineEvent) }
        }
        lastUpdate = contents.lastTimelineUpdate
        lastLocation = contents.newestLocation.flatMap {
            try? JSONCoder.decode(LocationMessage.self, from: $0).location
        }
        lostRecords = contents.lostRecords
        isEmpty = snapshot == nil && lastUpdate == nil && contents.newestSeq == 0
    }
}
