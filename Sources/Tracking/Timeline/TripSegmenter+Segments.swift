import CivilTime
import Geodesy
import OdographModel

/// The legs of a journey: one transport event for each means.
extension TripSegmenter {
    /// The vehicle goes on after a slow stretch. Who was out of it and came back was on foot meanwhile; only now is it
    /// certain, since a queue would have moved on.
    mutating func emitWalksFromVehicle(
        _ history: MovementHistory, rules: SegmentationRules, into log: inout RevisionBatch
    ) {
        guard let event = open else { return }
        let stretches = history.slowRanges(after: event.settledUntil)
        switch event.mode {
        case .vehicle, .bicycle:
            for outing in stretches.flatMap(history.walksFromVehicle(in:)) where outing.exitTime > event.start {
                startSegment(by: .foot, at: outing.exitTime, history: history, rules: rules, into: &log)
                // Without speeds the odometer takes it for a stand, as it should for the vehicle; who was out of it moved.
                let counted =
                    (history.odometerMeters(at: outing.returnTime) ?? lastMeters) - (open?.startMeters ?? lastMeters)
                open?.startMeters -= max(history.pathMeters(from: outing.exitTime, to: outing.returnTime) - counted, 0)
                startSegment(by: event.mode, at: outing.returnTime, history: history, rules: rules, into: &log)
                open?.aboveCyclingSpeedSeconds = event.aboveCyclingSpeedSeconds
                open?.aboveRoadSpeedSeconds = event.aboveRoadSpeedSeconds
            }
        case .some(.stationary), .foot, .running, nil: return
        }
        emitRevision(into: &log)
    }

    /// Nothing more will be known: who has stood for half of the interval has arrived, and who is out of the vehicle is on
    /// foot.
    mutating func finalizeLastSegment(
        _ history: MovementHistory, rules: SegmentationRules, into log: inout RevisionBatch
    ) {
        guard open?.phase == .transport, let lastFix else { return }
        if detectArrival(history, fix: lastFix, afterSeconds: rules.intervalSeconds / 2, rules: rules, into: &log) {
            return
        }
        splitFinalWalk(history, rules: rules, into: &log)
        resolveVehicleOrBicycle(history, until: lastFix.timestamp, rules: rules)
    }

    private mutating func splitFinalWalk(
        _ history: MovementHistory, rules: SegmentationRules, into log: inout RevisionBatch
    ) {
        guard let event = open, event.phase == .transport, event.mode?.isOnWheels == true,
            let leave = history.lastVehicleExitTime(after: event.settledUntil), leave > event.start
        else { return }
        startSegment(by: .foot, at: leave, history: history, rules: rules, into: &log)
    }

    /// Ends the leg that lasts, and begins another.
    mutating func startSegment(
        by carrier: MovementMode?, at time: Timestamp, history: MovementHistory, rules: SegmentationRules,
        into log: inout RevisionBatch
    ) {
        let meters = history.odometerMeters(at: time) ?? lastMeters
        resolveVehicleOrBicycle(history, until: time, rules: rules)
        let before = open?.mode
        finalizeOpenEvent(at: time, meters: meters, rules: rules, into: &log)
        openEvent(.transport, at: time, meters: meters)
        open?.arrivalMode = before
        open?.mode = carrier
    }

    /// The walk from the vehicle to where one stays is a leg even if it is short: what comes after it makes it certain.
    mutating func splitLastSegment(
        _ history: MovementHistory, before end: Timestamp, rules: SegmentationRules, into log: inout RevisionBatch
    ) {
        guard let event = open, let trailing = history.trailingMode(after: event.start, before: end),
            trailing.carrier != event.mode, event.mode != nil,
            trailing.start.seconds(since: event.start) >= rules.shortestSegmentSeconds,
            end.seconds(since: trailing.start) >= rules.shortestLastSegmentSeconds,
            let from = history.odometerMeters(at: trailing.start), let to = history.odometerMeters(at: end),
            to - from >= rules.shortestEndedSegmentMeters
        else { return }
        startSegment(by: trailing.carrier, at: trailing.start, history: history, rules: rules, into: &log)
    }

    /// Another carrier for long enough is another leg; a first leg that was too short was a wrong guess.
    mutating func detectModeChange(
        _ history: MovementHistory, rules: SegmentationRules, into log: inout RevisionBatch
    ) {
        guard let event = open, let newest = history.windows.last else { return }
        let seconds = newest.time.seconds(since: history.start(of: history.windows.count - 1))
        if newest.speedMetersPerSecond > TransportMode.maximumRoadMetersPerSecond {
            open?.aboveRoadSpeedSeconds += seconds
        }
        if newest.speedMetersPerSecond > TransportMode.maximumCyclingMetersPerSecond {
            open?.aboveCyclingSpeedSeconds += seconds
        }
        guard let trailing = history.trailingMode(after: event.start) else { return }
        guard let carrier = event.mode else {
            open?.mode = trailing.carrier
            return
        }
        guard trailing.carrier != carrier, isMoving,
            newest.time.seconds(since: trailing.start)
                >= (carrier == .foot ? rules.shortestSegmentSeconds : rules.certainSegmentSeconds),
            distanceMeters(since: trailing.start, in: history) >= rules.shortestSegmentMeters
        else { return }
        if carrier != .foot && trailing.carrier != .foot {
            guard wasModeFromStart(trailing, in: event, until: newest.time, rules: rules) else { return }
        } else if trailing.start.seconds(since: event.start) >= rules.shortestSegmentSeconds
            || history.hasDriven(from: event.start, to: trailing.start)
        {
            // Who gets out stands first.
            let begin =
                trailing.carrier == .foot
                ? history.restStart(near: trailing.start, after: event.start) : trailing.start
            startSegment(by: trailing.carrier, at: begin, history: history, rules: rules, into: &log)
            polyline.removePoints(before: begin)
        }
        open?.mode = trailing.carrier
        emitRevision(into: &log)
    }

    /// Whether a leg that looks now as if it was made by other wheels was made by them all along.
    ///
    /// Nobody changes from a bicycle to a car without a step on foot, so it was one of them all along: a vehicle if it was
    /// fast, since vehicles can be slow, and what it looks like now if not.
    private func wasModeFromStart(
        _ trailing: (carrier: MovementMode, start: Timestamp), in event: OpenEvent, until now: Timestamp,
        rules: SegmentationRules
    ) -> Bool {
        let wasFast = event.aboveCyclingSpeedSeconds >= rules.shortestFastSeconds
        if wasFast { return event.mode != .vehicle }
        let isMostOfIt = 2 * trailing.start.seconds(since: event.start) < now.seconds(since: event.start)
        return trailing.carrier != .vehicle || isMostOfIt
    }
}
