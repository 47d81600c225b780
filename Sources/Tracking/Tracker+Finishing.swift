import CivilTime
import OdographModel

/// What is left to say where no more inputs come.
extension Tracker {
    /// The agent stops: records where the vehicle is, as far as it has come since the last record.
    ///
    /// A box that is turned off with the ignition stops some seconds after the vehicle, long before it counts as parked; this is
    /// where it will be found. Of a vehicle that is parked the last record says that already.
    /// - Parameter moment: when it stops.
    /// - Returns: the record; nothing where there is no news.
    public mutating func recordFinalPosition(at moment: ClockReading) -> [TrackerOutput] {
        var outputs: [TrackerOutput] = []
        guard let fix = lastFix, !motion.isStationary, !sampler.hasRecorded(fix) else { return outputs }
        sampler.markRecorded(fix, at: clock.time(of: moment))
        emit(location(of: fix, cause: nil, ageMilliseconds: ageMilliseconds(of: fix, at: moment)), into: &outputs)
        return outputs
    }

    /// There will be no more inputs, as at the end of a recording: what lasts is over where it was last seen.
    ///
    /// - Parameter moment: when the recording ends.
    /// - Returns: what fell due until then, the last position as ``recordFinalPosition(at:)`` has it, and the final revisions of
    ///   the events that had none.
    public mutating func finish(at moment: ClockReading) -> [TrackerOutput] {
        let now = clock.time(of: moment)
        var outputs: [TrackerOutput] = []
        processDeadlines(until: now, into: &outputs)
        outputs += recordFinalPosition(at: moment)
        var log = revisionBatch(at: now)
        timeline.finalize(at: now, movement: movement, into: &log)
        emit(log, into: &outputs)
        return outputs
    }
}
