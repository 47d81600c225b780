import OdographCivilTime
import OdographGeodesy
import OdographModel

/// A change between the vehicle and one geofence.
enum GeofenceChange {
    case enter(GeofenceEntry)
    case dwell(since: Timestamp, until: Timestamp)
    case exit(since: Timestamp, at: Timestamp, reason: GeofenceEvent.Reason?)
    case cross(ClosedRange<Timestamp>)
    case overspeed(OverspeedDetector.Interval)
}

/// The events of the last input.
struct GeofenceEventQueue: Sendable {
    private var events: [GeofenceEvent] = []
    /// Earlier events that are certain now, in their order.
    private var released: [GeofenceEvent] = []

    /// Adds earlier events, which come before all others.
    mutating func release(_ earlier: [GeofenceEvent]) { released += earlier }

    /// Adds the event of a change, if the geofence's rule asks for it.
    mutating func append(
        _ change: GeofenceChange, of slot: ShapeIndex.Slot, in set: GeofenceSet, confirmedAt time: Timestamp
    ) {
        guard let identifier = set.identifier(slot), let rule = set.rule(slot), rule.notifies(on: change) else {
            return
        }
        var event = GeofenceEvent(change, identifier: identifier, confirmedAt: time)
        if case .overspeed = change { event.speedLimitMetersPerSecond = rule.speedLimitMetersPerSecond }
        event.name = rule.name
        event.significance = rule.significance
        event.extras = rule.extras
        events.append(event)
    }

    /// Adds the event of a change of a geofence whose rule is not known any more.
    mutating func append(_ change: GeofenceChange, identifier: String, confirmedAt time: Timestamp) {
        events.append(GeofenceEvent(change, identifier: identifier, confirmedAt: time))
    }

    var isEmpty: Bool { events.isEmpty && released.isEmpty }

    /// Removes all events and returns them: released ones, then exits, then by identifier, then by time.
    mutating func take() -> [GeofenceEvent] {
        guard !isEmpty else { return [] }
        defer {
            events.removeAll(keepingCapacity: true)
            released = []
        }
        return released
            + events.sorted { left, right in
                if (left.action == .exit) != (right.action == .exit) { return left.action == .exit }
                if left.identifier != right.identifier { return left.identifier < right.identifier }
                return left.occurredAt < right.occurredAt
            }
    }
}

extension GeofenceEvent {
    fileprivate init(_ change: GeofenceChange, identifier: String, confirmedAt time: Timestamp) {
        func event(_ action: Action, at occurredAt: Timestamp) -> GeofenceEvent {
            GeofenceEvent(identifier: identifier, action: action, occurredAt: occurredAt, confirmedAt: time)
        }
        switch change {
        case .enter(let entry):
            self = event(.enter, at: entry.time)
            isInitial = entry.isInitial
            reason = entry.reason
        case .dwell(let entered, let due):
            self = event(.dwell, at: due)
            dwellSeconds = due.seconds(since: entered)
        case .exit(let entered, let left, let reason):
            self = event(.exit, at: left)
            self.reason = reason
            dwellSeconds = left.seconds(since: entered)
        case .cross(let span):
            self = event(.cross, at: span.lowerBound)
            exitedAt = span.upperBound
        case .overspeed(let interval):
            self = event(.overspeed, at: interval.start)
            peakSpeedMetersPerSecond = interval.peakMetersPerSecond
            durationSeconds = interval.end.seconds(since: interval.start)
        }
    }
}

extension GeofenceRule {
    fileprivate func notifies(on change: GeofenceChange) -> Bool {
        switch change {
        case .enter: notifiesOnEntry
        case .exit: notifiesOnExit
        case .dwell: notifiesOnDwell
        case .cross: notifiesOnEntry || notifiesOnExit
        case .overspeed: speedLimitMetersPerSecond != nil
        }
    }
}
