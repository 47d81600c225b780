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
