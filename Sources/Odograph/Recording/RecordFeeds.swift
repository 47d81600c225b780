import Wire

/// What an agent tells those who listen to it: they may do so before it starts.
struct RecordFeeds: Sendable {
    /// Locations, and the samples of position requests.
    let locations = Feed<LocationEvent>()
    /// Revisions of the timeline's events.
    let timeline = Feed<TimelineEventRevision>()

    /// Whether nobody listens.
    var isEmpty: Bool { locations.isEmpty && timeline.isEmpty }

    /// There will be no more.
    func finish() {
        locations.finish()
        timeline.finish()
    }
}
