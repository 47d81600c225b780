import OdographCivilTime

/// The columns of a timeline revision by which the store answers queries.
package struct TimelineKey: Hashable, Sendable {
    /// The identifier of the event, the same in every revision.
    package var eventID: String
    /// The start of the event.
    package var start: Timestamp
    /// The end of the event; nil while it is unfinished. A withdrawn event ends before it begins, so that queries find
    /// it by its identifier and among the updates, but in no time range.
    package var end: Timestamp?
    /// The time of this revision. The latest revision is kept.
    package var lastUpdate: Timestamp
    /// Whether no later revision can follow. Only final events are dropped to make room.
    package var isFinal: Bool

    /// Creates a key.
    package init(eventID: String, start: Timestamp, end: Timestamp?, lastUpdate: Timestamp, isFinal: Bool) {
        self.eventID = eventID
        self.start = start
        self.end = end
        self.lastUpdate = lastUpdate
        self.isFinal = isFinal
    }
}

/// One page of an answer that may be long.
package struct TimelinePage: Hashable, Sendable {
    /// The newest revision of each event, as it was published.
    package var payloads: [[UInt8]]
    /// Whether there are more events after the last one.
    package var hasMore: Bool

    /// Creates a page.
    package init(payloads: [[UInt8]], hasMore: Bool) {
        self.payloads = payloads
        self.hasMore = hasMore
    }
}
