import OdographCivilTime
import OdographModel

/// Makes the revisions of events: their identifiers, numbers and update times, and what they may contain.
struct RevisionEmitter: Equatable, Sendable, Codable {
    /// The identifiers of further events are made from this and a counter.
    var seed: TrackerSeed
    private(set) var eventCount: UInt64 = 0
    /// The largest update time of any revision.
    var lastUpdate: Timestamp?
    /// The time when the open event was last published.
    var lastPublished: Timestamp?
    /// The tag of every event.
    var tag: String?
    /// Whether the open event is of private time.
    var isPrivate = false
    /// The vehicle that the receiver is mounted in, by the rules at the last fix. Nil where there is none.
    ///
    /// It is kept here so that revisions between two fixes say the same.
    var vehicle: TransportMode?

    init(seed: TrackerSeed) {
        self.seed = seed
    }

    mutating func nextID() -> TimelineEventID {
        eventCount += 1
        return TimelineEventID(seed: seed, counter: eventCount)
    }

    /// Returns an update time that is larger than every one before.
    mutating func nextUpdate(at now: Timestamp) -> Timestamp {
        let update = max(now, lastUpdate.map { $0.advanced(byMilliseconds: 1) } ?? now)
        lastUpdate = update
        return update
    }

    /// Returns the next revision of an event that lasts.
    /// - Parameters:
    ///   - now: The tracker's time.
    ///   - meters: The odometer's total at the end of the event so far.
    ///   - fix: The last fix, for the accuracy of a place.
    mutating func revision(of event: inout OpenEvent, at now: Timestamp, meters: Double, fix: Fix?) -> TimelineEvent {
        event.revision += 1
        var revision = TimelineEvent(
            id: event.id, revision: event.revision, isProvisional: true,
            kind: kind(of: event, meters: meters, fix: fix),
            start: event.start, end: nil, lastUpdate: nextUpdate(at: now), tag: tag)
        revision.isOfPrivateTime = isPrivate
        if event.stop != nil, meters > event.startMeters { revision.stopMeters = meters - event.startMeters }
        return revision
    }

    private func kind(of event: OpenEvent, meters: Double, fix: Fix?) -> TimelineEvent.Kind {
        switch event.phase {
        case .unknown: return .unknown
        case .offTheGrid(let reason): return .offTheGrid(reason)
        case .trip(let trip):
            let mode = TransportMode(
                movementMode: trip.motion.mode, railSeconds: trip.motion.aboveRoadSpeedSeconds)
            return .transport(
                TimelineTransport(
                    mode: vehicle ?? mode, distanceMeters: max(meters - event.startMeters, 0), waypoints: []))
        case .stationary(let stop):
            guard let center = stop.center else { return isPrivate ? .stationary(nil) : .unknown }
            return .stationary(
                TimelinePlace(coordinate: center.coordinate, accuracyMeters: center.accuracyMeters(for: fix)))
        }
    }
}
