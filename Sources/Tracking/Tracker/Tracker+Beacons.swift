import OdographCivilTime
import OdographModel

/// The beacons that are aboard. Private time has no records of them; its changes are told after it, without their time.
extension Tracker {
    /// The names of the beacons that are aboard, ascending, also those of which no record was made yet.
    public var presentBeacons: [String] { agent.beacons?.current ?? [] }

    /// The beacons that are aboard by the records; nil for none.
    var beaconsOfRecords: [String]? {
        guard let present = agent.beacons?.present, !present.isEmpty else { return nil }
        return present
    }

    /// Takes a change.
    mutating func handle(_ event: BeaconEvent) {
        var log = agent.beacons ?? BeaconLog()
        log.observe(event)
        agent.beacons = log
    }

    /// Records the changes that wait, with the last known position.
    mutating func emitBeacons(at now: Timestamp, into outputs: inout [TrackerOutput]) {
        guard let log = agent.beacons, !log.pending.isEmpty, !isPrivate, !isSuspended, agent.isTimeKnown,
            let fix = lastFix
        else { return }
        for event in agent.beacons?.takePending(at: now) ?? [] {
            var location = location(of: fix, cause: .beacon, at: max(now, fix.timestamp))
            location.beacon = event
            emit(location, into: &outputs)
        }
    }

    // MARK: Trips

    /// Returns an event with the beacons that were aboard during it, if it is a trip and this is its final revision.
    func withBeacons(_ event: TimelineEvent) -> TimelineEvent {
        guard let log = agent.beacons, !event.isProvisional, !event.isWithdrawn, let end = event.end,
            case .transport = event.kind
        else { return event }
        var event = event
        event.beacons = log.identifiers(from: event.start, to: end)
        return event
    }
}
