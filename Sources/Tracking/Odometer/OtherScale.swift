/// Another scale than the one that counts, which the last stretches show together (``SpeedJudgement``).
struct OtherScale: Equatable, Sendable, Codable {
    private(set) var scale = DistanceScale.unknown
    /// The number of the stretches.
    private(set) var count = 0
    /// Their length by the speeds, metres.
    private(set) var speedMeters = 0.0
    /// Their length by the positions, and the distance that the odometer has counted of them, metres.
    private var positionMeters = 0.0
    private(set) var countedMeters = 0.0

    /// The distance that the odometer has counted too little of the stretches if the positions are right, metres.
    var missingMeters: Double { positionMeters - countedMeters }

    /// Whether the scale explains a stretch, too.
    /// - Parameters:
    ///   - meters: the length of the stretch by the positions, metres.
    ///   - error: the standard error of the difference between its two lengths, metres.
    func agrees(
        with stretch: SpeedJudgement.Stretch, positionMeters meters: Double, errorMeters error: Double
    ) -> Bool {
        let scaleError = scale.standardError * stretch.speedMeters
        let spread = (error * error + scaleError * scaleError).squareRoot()
        return count == 0
            || abs(meters - scale.factor * stretch.speedMeters) <= SpeedJudgement.refutation * spread
    }

    /// Takes a stretch that contradicts the scale that counts.
    mutating func learn(
        _ stretch: SpeedJudgement.Stretch, positionMeters meters: Double, errorMeters error: Double,
        countedMeters counted: Double, memoryMeters: Double
    ) {
        scale.learn(
            meters: meters, measured: stretch.speedMeters, variance: error * error, sharedMeters: stretch.sharedMeters,
            memoryMeters: memoryMeters)
        count += 1
        speedMeters += stretch.speedMeters
        positionMeters += meters
        countedMeters += counted
    }

    /// Notes a distance that the odometer has counted of the stretches after they ended, metres.
    mutating func count(_ meters: Double) { countedMeters += meters }

    /// Notes that the odometer was corrected: nothing is missing any more.
    mutating func settle() { (positionMeters, countedMeters) = (0, 0) }
}
