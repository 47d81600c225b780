public import OdographModel

/// An action that the tracker requests.
public enum TrackerOutput: Equatable, Sendable {
    /// A record to commit and to publish.
    case record(TrackerRecord)
    /// An intermediate sample of a position request, for the embedding program only: neither stored nor published.
    case sample(Disclosed<TrackedLocation>)
    /// The answer to a position request; nil if no acceptable position came in time.
    case position(Disclosed<TrackedLocation>?, request: UInt64)
    /// The fix rate that the tracker needs.
    case fixRate(FixRate)
}

/// A record of the tracker, which gets a uuid and a seq and is published.
public enum TrackerRecord: Equatable, Sendable {
    /// A location event.
    case location(Disclosed<TrackedLocation>)
    /// A revision of a timeline event.
    case timeline(Disclosed<TimelineEvent>)
}
