/// What the tracker wants done.
public enum TrackerOutput: Equatable, Sendable {
    /// A record to commit and to publish.
    case record(TrackerRecord)
    /// A position on the way to a better one: shown to whoever embeds the agent, neither stored nor published.
    case sample(TrackedLocation)
    /// The answer to a position request; nil when no acceptable position came in time.
    case position(TrackedLocation?, request: UInt64)
    /// What the tracker wishes of the receiver.
    case fixRate(FixRate)
}

/// A record of the tracker: what gets a uuid and a seq and goes to the broker.
public enum TrackerRecord: Equatable, Sendable {
    /// A location event.
    case location(TrackedLocation)
    /// A revision of an event of the timeline.
    case timeline(TimelineEvent)
}

/// How often the tracker needs positions.
public enum FixRate: String, Hashable, Sendable, Codable {
    /// As often as the receiver is set to give them.
    case full
    /// Seldom: the vehicle is parked.
    case reduced
}
