import OdographCivilTime
import OdographModel

/// The values with positions that leave the tracker, through the ``PrivacyBarrier``. Samples and answers to position
/// requests pass it where they are made, at a fix and at a deadline.
///
/// In mode `private` the tracker follows the vehicle in memory and publishes distances and times only. When the
/// schedule opens again, the tracker forgets the positions, so that later records reveal nothing of the private time,
/// and starts again at the next fix.
extension Tracker {
    /// Whether positions must be neither published nor stored.
    public var isPrivate: Bool { barrier.isPrivate }

    var barrier: PrivacyBarrier { PrivacyBarrier(rule: agent.schedule.rule) }

    // MARK: Records

    /// Records a location unless the schedule prevents it.
    mutating func emit(_ location: TrackedLocation, into outputs: inout [TrackerOutput]) {
        guard !isSuspended else { return }
        var location = location
        let isOpening = agent.owesOpening && ![.geofence, .driving, .beacon].contains(location.cause)
        if isOpening { location.cause = .schedule }
        guard let disclosed = barrier.disclose(location) else { return }
        if isOpening { agent.owesOpening = false }
        outputs.append(.record(.location(disclosed)))
    }

    /// Records revisions of the timeline, those of stops with the geofence that contains them.
    mutating func emit(_ log: RevisionBatch, into outputs: inout [TrackerOutput]) {
        for event in log.events {
            var event = withBeacons(withDriving(withCarriage(withIdling(event, until: log.now), until: log.now)))
            if case .stationary(var place?) = event.kind {
                place.venue = venue(at: place.coordinate)
                event.kind = .stationary(place)
                recent.venue = place.venue?.identifier
            }
            outputs.append(.record(.timeline(barrier.disclose(event))))
        }
        removePastLogs()
    }

    /// Forgets what was logged during events that are final, and the driving style if it is no longer configured.
    private mutating func removePastLogs() {
        if configuration.driving == nil { agent.driving = nil }
        let starts = [timeline.events.ended?.event.start, timeline.events.open?.start].compactMap(\.self)
        if let start = starts.min() {
            agent.idling?.removeSpans(before: start)
            agent.carriage?.removeSpans(before: start)
            if agent.carriage?.spans.isEmpty == true { agent.carriage = nil }
            agent.driving?.removeSpans(before: start)
            agent.beacons?.removeSpans(before: start)
        }
        if agent.beacons == BeaconLog() { agent.beacons = nil }
    }

    // MARK: Answers

    /// Returns the last believed fix as a location event; nil before the first and in private time.
    public func currentLocation(at moment: ClockReading) -> Disclosed<TrackedLocation>? {
        lastFix.flatMap {
            barrier.disclose(location(of: $0, cause: nil, ageMilliseconds: ageMilliseconds(of: $0, at: moment)))
        }
    }

    /// The last believed fix as a location event at the time of its arrival.
    public var lastLocation: Disclosed<TrackedLocation>? { lastFix.flatMap { currentLocation(at: $0.received) } }

    /// The geofences that certainly contain the vehicle; none in private time.
    public var geofencesInside: Disclosed<GeofencesInside> {
        // Before the set is attached its geofences are not in force.
        let states = geofences.dormant == nil ? geofences.certainStates : []
        let inside = states.compactMap { $0.phase.visit?.opening.isOpen == true ? $0.identifier : nil }
        return barrier.disclose(GeofencesInside(identifiers: inside.sorted()))
    }

    // MARK: Files

    /// Returns what may be saved of this state, or of one that is joined with it: no position if it is private time in
    /// either.
    public func disclose(_ state: Tracker) -> Disclosed<Tracker> { barrier.disclose(state) }

    /// Returns an input that may be saved, before it is handled; nil in private time, and for a position or signals
    /// while tracking is suspended.
    ///
    /// A withheld position has changed the counters and the evidence for the time. Inputs after it do not give this
    /// state, so a snapshot must follow.
    public func disclose(_ input: TrackerInput) -> Disclosed<TrackerInput>? {
        isSuspended && input.isMovement ? nil : barrier.disclose(input)
    }
}

extension Tracker: ErasedInPrivateTime {
    var isOfPrivateTime: Bool { isPrivate }

    func withoutPositions() -> Tracker {
        var (agent, odometer, timeline, geofences, sampler) = (agent, odometer, timeline, geofences, sampler)
        // After private time they are told; in it they are not saved.
        if isPrivate { agent.beacons?.forgetPending() }
        odometer.forgetPosition()
        timeline.events.forgetPositions()
        geofences.forgetPositions()
        sampler.forgetPositions()
        return Tracker(
            configuration: configuration, agent: agent, recent: RecentState(), odometer: odometer, timeline: timeline,
            geofences: geofences, sampler: sampler)
    }
}

/// The geofences that certainly contain the vehicle.
public struct GeofencesInside: ErasedInPrivateTime, Hashable, Sendable {
    /// Their identifiers, ascending.
    public var identifiers: [String]

    func withoutPositions() -> GeofencesInside { GeofencesInside(identifiers: []) }
}
