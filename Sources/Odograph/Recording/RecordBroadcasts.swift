import Wire

/// What an agent tells those who listen to it: they may do so before it starts.
struct RecordBroadcasts: Sendable {
    /// Locations, and the samples of position requests.
    let locations = Broadcast<LocationEvent>()
    /// Revisions of the timeline's events.
    let timeline = Broadcast<TimelineEventRevision>()

    /// Whether nobody listens.
    var isEmpty: Bool { locations.isEmpty && timeline.isEmpty }

    /// There will be no more.
    func finish() {
        locations.finish()
        timeline.finish()
    }
}
