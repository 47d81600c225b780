import CivilTime
import Store
import Tracking
import Wire

/// What a store has of the last run.
struct StoredState: Sendable {
    /// The state as it was last saved whole; nil where it never was.
    var snapshot: [UInt8]?
    /// The inputs since.
    var journals: [[UInt8]]
    /// The newest revision of each event of the timeline that is told to last.
    var told: [TimelineEvent]
    /// The latest update that was told of any event.
    var lastUpdate: Timestamp?
    /// The newest location that is still there.
    var lastRecord: LocationEvent?
    /// Whether nothing was ever recorded.
    var isEmpty: Bool

    /// The newest entry of the journal, where all of it can be read.
    var lastEntry: JournalEntry? {
        journals.last.flatMap { try? JournalEntry(bytes: $0) }.flatMap { $0.inputs.areComplete ? $0 : nil }
    }

    /// Reads what a database has.
    init(_ contents: StoreContents) {
        (snapshot, journals) = (contents.snapshot, contents.journals)
        told = contents.lastingTimeline.compactMap {
            (try? JSONText.decode(TimelineMessage.self, from: $0)).flatMap { TimelineEvent($0.timelineEvent) }
        }
        lastUpdate = contents.lastTimelineUpdate
        lastRecord = contents.newestLocation.flatMap {
            try? JSONText.decode(LocationMessage.self, from: $0).location
        }
        isEmpty = snapshot == nil && lastUpdate == nil && contents.newestSeq == 0
    }
}
