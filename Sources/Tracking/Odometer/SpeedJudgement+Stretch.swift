import OdographGeodesy
import OdographModel

extension SpeedJudgement {
    /// A stretch of an uninterrupted track.
    struct Stretch: Equatable, Sendable, Codable {
        var first: Fix
        /// The end of the last leg.
        var legStart: Fix
        var fixCount = 0
        /// The number of speeds that are 0 or those of the fix before: a receiver that measures has noise.
        var heldCount = 0
        /// The number of steps that no scale of the speeds explains.
        var hopCount = 0
        /// The integral of the reported speeds, and its variance.
        var speedMeters = 0.0
        var varianceSquareMeters = 0.0
        /// The length of the legs, and its error that is common to all of them.
        var positionMeters = 0.0
        var sharedMeters = 0.0
        /// The longest part that one leg or one interval can hide, metres: the vehicle turned round in it.
        var hiddenMeters = 0.0
        /// The distance that the odometer has counted of it, metres.
        var countedMeters = 0.0

        /// Whether the speed never changed, so that it may be none that the receiver measures.
        var isHeld: Bool { heldCount == fixCount }

        /// Whether some steps hop: reflections. If most do, the speeds may be those that are wrong.
        var hasHops: Bool { hopCount > 0 && 2 * hopCount < fixCount }

        init(at fix: Fix) { (first, legStart) = (fix, fix) }
    }
}

extension SpeedJudgement.Stretch {
    /// Adds the way to the next fix by the speeds.
    mutating func add(meters: Double, seconds: Double, fix: Fix, scale: Double) {
        let noise =
            ReceiverErrorModel.dopplerErrorMetersPerSecond(accuracyMeters: fix.likelyAccuracyMeters) * seconds
        let change = ReceiverErrorModel.speedIntegralErrorMeters(overSeconds: seconds)
        fixCount += 1
        speedMeters += meters
        varianceSquareMeters += noise * noise / 2 + change * change
        if seconds > SegmentDistance.dopplerSpanSeconds { hiddenMeters = max(hiddenMeters, scale * meters) }
    }
}

extension SpeedJudgement {
    /// Whether a step is no movement: it differs from what steady and measured speeds tell by more than the errors of
    /// both, and than a scale explains.
    func isHop(from start: Fix, to end: Fix, speeds: (before: Double, now: Double), seconds: Double) -> Bool {
        guard seconds <= SegmentDistance.dopplerSpanSeconds, speeds.now != speeds.before,
            abs(speeds.now - speeds.before) <= TrackReach.usualAcceleration * max(seconds, 1),
            // A receiver's clock that was set back hides time that the monotonic clock counted.
            end.received.seconds(since: start.received) <= seconds + TrackReach.latestSeconds
        else { return false }
        let step = start.coordinate.distanceMeters(to: end.coordinate)
        let told = factor * (speeds.before + speeds.now) / 2 * seconds
        let drift = ReceiverErrorModel.driftMeters(from: start, to: end)
        let change = ReceiverErrorModel.speedIntegralErrorMeters(overSeconds: seconds)
        let error = drift * drift + change * change + noise.deviationMeters * noise.deviationMeters
        return abs(step - told) > hopShare * max(step, told) + Self.refutation * error.squareRoot()
    }
}
