import OdographCivilTime
import OdographModel

/// The last outputs of a tracker.
extension Tracker {
    /// Records the final position when the agent stops, if the vehicle has moved since the last record.
    ///
    /// A device that is turned off with the ignition stops some seconds after the vehicle, before it counts as parked.
    /// - Parameter moment: when the agent stops.
    /// - Returns: the record; nothing where the position is recorded already.
    public mutating func recordFinalPosition(at moment: ClockReading) -> [TrackerOutput] {
        var outputs: [TrackerOutput] = []
        guard let fix = lastFix, !recent.motion.isStationary, !sampler.hasRecorded(fix) else { return outputs }
        sampler.markRecorded(fix, at: agent.clock.time(of: moment))
        emit(location(of: fix, cause: nil, ageMilliseconds: ageMilliseconds(of: fix, at: moment)), into: &outputs)
        return outputs
    }

    /// Ends all events at the end of a recording, where the vehicle was last seen.
    /// - Parameter moment: when the recording ends.
    /// - Returns: the outputs of the deadlines until then, the final position, and the final revisions of open events.
    public mutating func finish(at moment: ClockReading) -> [TrackerOutput] {
        let now = agent.clock.time(of: moment)
        var outputs: [TrackerOutput] = []
        processDeadlines(until: now, into: &outputs)
        var log = revisionBatch(at: now)
        timeline.finalize(at: now, movement: recent.movement, into: &log)
        // The final position contains the whole distance.
        log.missed.forEach { count($0) }
        outputs += recordFinalPosition(at: moment)
        emit(log, into: &outputs)
        return outputs
    }
}
