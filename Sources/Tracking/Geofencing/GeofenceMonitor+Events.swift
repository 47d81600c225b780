import CivilTime
import Geodesy
import OdographModel

/// What is told, in the fences' own words.
extension GeofenceMonitor {
    /// Takes out what is to be told: exits first, then by identifier, then as it happened.
    mutating func takeEvents() -> [GeofenceEvent] {
        guard !pendingEvents.isEmpty else { return [] }
        let events = pendingEvents.compactMap { event(of: $0) }
        pendingEvents.removeAll(keepingCapacity: true)
        return events.sorted(by: Self.isBefore)
    }

    static func isBefore(_ left: GeofenceEvent, _ right: GeofenceEvent) -> Bool {
        if (left.action == .exit) != (right.action == .exit) { return left.action == .exit }
        if left.identifier != right.identifier { return left.identifier < right.identifier }
        return left.occurredAt < right.occurredAt
    }

    /// An event; nil where the fence's rule does not want it told.
    func event(of notice: PendingGeofenceEvent) -> GeofenceEvent? {
        guard let identifier = fences.identifier(notice.slot), let rule = fences.rule(notice.slot),
            rule.notifies(on: notice.action)
        else { return nil }
        var event = GeofenceEvent(
            identifier: identifier, action: notice.action, occurredAt: notice.occurredAt,
            confirmedAt: notice.confirmedAt)
        event.isInitial = notice.isInitial
        event.reason = notice.reason
        event.exitedAt = notice.exitedAt
        event.dwellSeconds = notice.dwellSeconds
        event.peakSpeedMetersPerSecond = notice.peakSpeedMetersPerSecond
        event.durationSeconds = notice.durationSeconds
        if notice.action == .overspeed { event.speedLimitMetersPerSecond = rule.speedLimitMetersPerSecond }
        event.name = rule.name
        event.significance = rule.significance
        event.extras = rule.extras
        return event
    }

    /// The fence that says best where a place is: of those that hold it one that says what kind of place it is, else any; of
    /// several the smallest.
    func venue(at place: Coordinate) -> TimelineVenue? {
        guard hasMatchingSet, fences.count > 0 else { return nil }
        var best: (rank: Double, identifier: String, rule: GeofenceRule)?
        fences.index.forEachContaining(place) { slot in
            guard let identifier = fences.identifier(slot), let rule = fences.rule(slot) else { return }
            let size = fences.index.equivalentRadiusMeters(slot)
            let rank = rule.significance == nil ? size + EarthSize.halfCircumferenceMeters : size
            if let best, (best.rank, best.identifier) <= (rank, identifier) { return }
            best = (rank, identifier, rule)
        }
        return best.map {
            TimelineVenue(identifier: $0.identifier, name: $0.rule.name, significance: $0.rule.significance)
        }
    }
}

extension GeofenceRule {
    fileprivate func notifies(on action: GeofenceEvent.Action) -> Bool {
        switch action {
        case .enter: notifiesOnEntry
        case .exit: notifiesOnExit
        case .dwell: notifiesOnDwell
        case .cross: notifiesOnEntry || notifiesOnExit
        case .overspeed: speedLimitMetersPerSecond != nil
        }
    }
}

private enum EarthSize {
    /// No fence is larger, metres.
    static let halfCircumferenceMeters = 20_003_932.0
}
