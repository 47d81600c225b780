public import CivilTime

/// What the store has to know of a record that is a revision of a timeline event, to answer by it.
public struct TimelineKey: Hashable, Sendable {
    /// The same in every revision of the event.
    public var eventID: String
    /// When the event began.
    public var start: Timestamp
    /// When it ended; nil while it lasts. One that was withdrawn ends before it begins: it is found by its identifier and
    /// among the updates, and at no time.
    public var end: Timestamp?
    /// When this revision was made: the one with the latest is kept.
    public var lastUpdate: Timestamp
    /// Whether no later revision can follow. Only final events are given up to make room.
    public var isFinal: Bool

    /// - Parameters: as the properties of the same names.
    public init(eventID: String, start: Timestamp, end: Timestamp?, lastUpdate: Timestamp, isFinal: Bool) {
        self.eventID = eventID
        self.start = start
        self.end = end
        self.lastUpdate = lastUpdate
        self.isFinal = isFinal
    }
}

/// A part of an answer that may be too long for one.
public struct TimelinePage: Hashable, Sendable {
    /// The newest revision of each event, as it was published.
    public var payloads: [[UInt8]]
    /// Whether there are more behind the last one.
    public var hasMore: Bool

    /// - Parameters: as the properties of the same names.
    public init(payloads: [[UInt8]], hasMore: Bool) {
        self.payloads = payloads
        self.hasMore = hasMore
    }
}
