import CivilTime
import Geodesy

/// The events themselves: opened, revised, closed.
extension TimelineKeeper {
    /// Opens an event and tells of it.
    mutating func begin(
        _ phase: OpenEvent.Phase, at start: Timestamp, meters: Double, into log: inout TimelineLog
    ) {
        openEvent(phase, at: start, meters: meters)
        publish(into: &log)
    }

    /// Opens an event that is told of later, when more is known of it.
    mutating func openEvent(_ phase: OpenEvent.Phase, at start: Timestamp, meters: Double) {
        eventCount += 1
        told.begin = told.begin ?? start
        open = OpenEvent(
            id: TimelineEventID(seed: seed, counter: eventCount), phase: phase, start: start, startMeters: meters)
    }

    /// Ends the open event with its final revision.
    mutating func close(at end: Timestamp, meters: Double, rules: TimelineRules, into log: inout TimelineLog) {
        if open?.isDoubted == true { withdraw(into: &log) }
        settleEnded(rules: rules, into: &log)
        partPause(before: end, rules: rules, into: &log)
        guard var event = nextRevision(at: log.now, meters: meters, until: end, rules: rules) else { return }
        event.isProvisional = false
        if let carrier = open?.carrier, carrier.isOnWheels { lastWheels = carrier }
        open = nil
        log.events.append(event)
    }

    /// Says what is known of the open event now.
    mutating func publish(into log: inout TimelineLog) {
        guard let event = nextRevision(at: log.now, meters: lastMeters) else { return }
        log.events.append(event)
        lastPublished = log.now
    }

    /// Makes the next revision of the open event, with its end and the way to there.
    mutating func nextRevision(at now: Timestamp, meters: Double, until end: Timestamp, rules: TimelineRules)
        -> TimelineEvent?
    {
        guard var event = nextRevision(at: now, meters: meters) else { return nil }
        event.end = max(end, event.start)
        if case .transport(var transport) = event.kind {
            transport.waypoints = line.line(from: event.start, to: end, rule: rules.timeline)
            event.kind = .transport(transport)
        }
        return event
    }

    /// Makes the next revision of the open event.
    /// - Parameter meters: the odometer's total where it has come to.
    mutating func nextRevision(at now: Timestamp, meters: Double) -> TimelineEvent? {
        guard open != nil else { return nil }
        open?.revision += 1
        let update = max(now, lastUpdate.map { $0.advanced(byMilliseconds: 1) } ?? now)
        guard let event = open else { return nil }
        lastUpdate = update
        return TimelineEvent(
            id: event.id, revision: event.revision, isProvisional: true, kind: kind(of: event, meters: meters),
            start: event.start, end: nil, lastUpdate: update, tag: tag)
    }

    /// Forgets where the open event is and how it came there: what comes next has to do with neither.
    mutating func forgetPlaceAndLine() {
        stay = nil
        line = WaypointLine()
    }

    private func kind(of event: OpenEvent, meters: Double) -> TimelineEvent.Kind {
        switch event.phase {
        case .unknown: return .unknown
        case .offTheGrid(let reason): return .offTheGrid(reason)
        case .transport:
            return .transport(
                TimelineTransport(
                    mode: vehicle ?? TransportMode(carrier: event.carrier, railSeconds: event.railSeconds),
                    distanceMeters: max(meters - event.startMeters, 0), waypoints: []))
        case .stationary:
            if isPrivate { return .stationary(nil) }
            guard let stay else { return .unknown }
            return .stationary(
                TimelinePlace(coordinate: stay.coordinate, accuracyMeters: stay.accuracyMeters(for: lastFix)))
        }
    }
}
