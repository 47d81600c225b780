public import OdographTracking

extension TrackerOutput {
    /// The location of a location record. Nil for any other output.
    public var location: TrackedLocation? {
        if case .record(.location(let location)) = self { location.value } else { nil }
    }

    /// The event of a timeline record. Nil for any other output.
    public var event: TimelineEvent? {
        if case .record(.timeline(let event)) = self { event.value } else { nil }
    }
}
