import CivilTime
import OdographJSON
import Store
import Tracking
import Wire

/// What a store has of the last run.
struct PreviousRunState: Sendable {
    /// The state as it was last saved whole; nil where it never was.
    var snapshot: [UInt8]?
    /// The inputs since.
    var journalEntries: [[UInt8]]
    /// The newest revision of each event of the timeline that is told to last.
    var publishedEvents: [TimelineEvent]
    /// The latest update that was told of any event.
    var lastUpdate: Timestamp?
    /// The newest location that is still there.
    var lastLocation: LocationEvent?
    /// Whether nothing was ever recorded.
    var isEmpty: Bool

    /// The newest entry of the journal, where all of it can be read.
    var lastJournalEntry: InputJournalEntry? {
        journalEntries.last.flatMap { try? InputJournalEntry(bytes: $0) }.flatMap { $0.inputs.areComplete ? $0 : nil }
    }

    /// Reads what a database has.
    init(_ contents: StoreContents) {
        (snapshot, journalEntries) = (contents.snapshot, contents.journals)
        publishedEvents = contents.openTimelineEvents.compactMap {
            (try? JSONCoder.decode(TimelineMessage.self, from: $0)).flatMap { TimelineEvent($0.timelineEvent) }
        }
        lastUpdate = contents.lastTimelineUpdate
        lastLocation = contents.newestLocation.flatMap {
            try? JSONCoder.decode(LocationMessage.self, from: $0).location
        }
        isEmpty = snapshot == nil && lastUpdate == nil && contents.newestSeq == 0
    }
}
