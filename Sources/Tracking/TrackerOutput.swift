/// An action that the tracker asks for.
public enum TrackerOutput: Equatable, Sendable {
    /// A record to commit and to publish.
    case record(TrackerRecord)
    /// A sample of a position request, for the application that embeds the agent; neither stored nor published.
    case sample(TrackedLocation)
    /// The answer to a position request; nil where no acceptable position came in time.
    case position(TrackedLocation?, request: UInt64)
    /// The rate of positions that the tracker needs from the receiver.
    case fixRate(FixRate)
}

/// A record of the tracker, which gets a uuid and a seq and is published.
public enum TrackerRecord: Equatable, Sendable {
    /// A location event.
    case location(TrackedLocation)
    /// A revision of a timeline event.
    case timeline(TimelineEvent)
}

/// The rate of positions that the tracker needs.
public enum FixRate: String, Hashable, Sendable, Codable {
    /// The receiver's configured rate.
    case full
    /// Less: the vehicle is parked.
    case reduced
}
