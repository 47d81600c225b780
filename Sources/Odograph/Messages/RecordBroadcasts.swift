import OdographWire

/// The event streams of an agent. They accept subscribers before the start.
struct RecordBroadcasts: Sendable {
    /// Location events, and the samples of position requests.
    let locations = Broadcast<LocationEvent>()
    /// Revisions of timeline events.
    let timeline = Broadcast<TimelineEventRevision>()

    var isEmpty: Bool { locations.isEmpty && timeline.isEmpty }

    func finish() {
        locations.finish()
        timeline.finish()
    }
}
