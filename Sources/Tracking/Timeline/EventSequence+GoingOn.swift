import OdographCivilTime
import OdographModel

/// Events that go on after a halt of a vehicle, or after a step of the date.
extension EventSequence {
    /// Whether the stop that lasts is a halt of a vehicle if it ends at a time: the trip before it may go on.
    func isHalt(until end: Timestamp, _ rules: SegmentationRules) -> Bool {
        guard let open, open.isStationary, ended?.event.motion.mode?.isOnWheels == true, ended?.event.trip != nil else {
            return false
        }
        return end.seconds(since: open.restStart) < rules.timeline.shortestStopSeconds
    }

    /// Whether the open event is too short for one if it ends at a time, and no event before it can go on instead.
    func isFirstTooShort(endingAt time: Timestamp) -> Bool {
        guard let open, ended == nil, lastFinal?.touches(open, emitter) != true else { return false }
        return time.seconds(since: open.start) < EndedEventRule.shortestEventSeconds
    }

    /// Goes on at a fix with an earlier date than the last one.
    mutating func goOn(after fix: Fix, odometerMeters: Double, into batch: inout RevisionBatch) {
        lastMeters = odometerMeters
        if let event = open, fix.timestamp > event.start {
            open?.settledUntil = fix.timestamp
            polyline.removePoints(from: fix.timestamp)
        } else {
            // It has just begun.
            open?.phase = .unknown(Stop())
            polyline = WaypointPolyline()
        }
        emitRevision(into: &batch)
    }

    /// Whether the provisionally ended trip and the open event together are slow enough for the mode of that trip.
    func canContinueEnded(_ rules: SegmentationRules) -> Bool {
        guard let ended, let mode = ended.event.trip?.motion.mode, let lastTime else { return false }
        let seconds = lastTime.seconds(since: ended.event.start)
        return lastMeters - ended.event.startMeters <= mode.maximumMetersPerSecond(
            fastest: rules.fastestMetersPerSecond) * seconds
    }
}
