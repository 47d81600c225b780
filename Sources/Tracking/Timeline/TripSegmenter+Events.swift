import CivilTime
import Geodesy
import OdographModel

/// The events themselves: opened, revised, closed.
extension TripSegmenter {
    /// Opens an event and tells of it.
    mutating func openAndEmitEvent(
        _ phase: OpenEvent.Phase, at start: Timestamp, meters: Double, into log: inout RevisionBatch
    ) {
        openEvent(phase, at: start, meters: meters)
        emitRevision(into: &log)
    }

    /// Opens an event that is told of later, when more is known of it.
    mutating func openEvent(_ phase: OpenEvent.Phase, at start: Timestamp, meters: Double) {
        eventCount += 1
        published.currentStart = published.currentStart ?? start
        open = OpenEvent(
            id: TimelineEventID(seed: seed, counter: eventCount), phase: phase, start: start, startMeters: meters)
    }

    /// Ends the open event with its final revision.
    mutating func finalizeOpenEvent(
        at end: Timestamp, meters: Double, rules: SegmentationRules, into log: inout RevisionBatch
    ) {
        if open?.isTentative == true { withdrawOpenEvent(into: &log) }
        finalizeEndedEvent(rules: rules, into: &log)
        splitOffAgentDowntime(before: end, rules: rules, into: &log)
        guard var event = makeRevision(at: log.now, meters: meters, until: end, rules: rules) else { return }
        event.isProvisional = false
        if let carrier = open?.mode, carrier.isOnWheels { lastVehicleMode = carrier }
        open = nil
        log.events.append(event)
    }

    /// Says what is known of the open event now.
    mutating func emitRevision(into log: inout RevisionBatch) {
        guard let event = makeRevision(at: log.now, meters: lastMeters) else { return }
        log.events.append(event)
        lastPublished = log.now
    }

    /// Makes the next revision of the open event, with its end and the way to there.
    mutating func makeRevision(at now: Timestamp, meters: Double, until end: Timestamp, rules: SegmentationRules)
        -> TimelineEvent?
    {
        guard var event = makeRevision(at: now, meters: meters) else { return nil }
        event.end = max(end, event.start)
        if case .transport(var transport) = event.kind {
            transport.waypoints = polyline.waypoints(from: event.start, to: end, rule: rules.timeline)
            event.kind = .transport(transport)
        }
        return event
    }

    /// Makes the next revision of the open event.
    /// - Parameter meters: the odometer's total where it has come to.
    mutating func makeRevision(at now: Timestamp, meters: Double) -> TimelineEvent? {
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
    mutating func clearStopAndWaypoints() {
        stopCenter = nil
        polyline = WaypointPolyline()
    }

    private func kind(of event: OpenEvent, meters: Double) -> TimelineEvent.Kind {
        switch event.phase {
        case .unknown: return .unknown
        case .offTheGrid(let reason): return .offTheGrid(reason)
        case .transport:
            return .transport(
                TimelineTransport(
                    mode: vehicle ?? TransportMode(movementMode: event.mode, railSeconds: event.aboveRoadSpeedSeconds),
                    distanceMeters: max(meters - event.startMeters, 0), waypoints: []))
        case .stationary:
            if isPrivate { return .stationary(nil) }
            guard let stopCenter else { return .unknown }
            return .stationary(
                TimelinePlace(
                    coordinate: stopCenter.coordinate, accuracyMeters: stopCenter.accuracyMeters(for: lastFix)))
        }
    }
}
