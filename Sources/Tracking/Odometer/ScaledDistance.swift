/// The distance from speeds since the odometer's error was 0, and what the error of the speeds' scale makes of it.
struct ScaledDistance: Equatable, Sendable, Codable {
    /// The distance since the scale was last learned, metres.
    private var uncalibratedMeters = 0.0
    /// The distance before, which counts by the learned scale, metres.
    private var calibratedMeters = 0.0
    /// The standard error of the distance by former scales, metres.
    private var formerErrorMeters = 0.0

    /// Returns the standard error, metres.
    /// - Parameter share: the standard error of the scale.
    func errorMeters(scaleError share: Double) -> Double {
        formerErrorMeters + share * (uncalibratedMeters + calibratedMeters)
    }

    /// Adds a distance, metres.
    mutating func count(_ meters: Double) { uncalibratedMeters += meters }

    /// Leaves the distance to the scale with which it was counted.
    /// - Parameters:
    ///   - share: the standard error of this scale.
    ///   - kept: the share of the distance that counts by the next scale.
    mutating func close(scaleError share: Double, keeping kept: Double = 0) {
        let meters = uncalibratedMeters + calibratedMeters
        formerErrorMeters += share * (1 - kept) * meters
        (calibratedMeters, uncalibratedMeters) = (kept * meters, 0)
    }

    /// Counts the distance that has the former scale by the new one.
    /// - Parameter ratio: of the new scale to the former one.
    /// - Returns: by how much the distance changes, metres.
    mutating func rescale(by ratio: Double) -> Double {
        let change = (ratio - 1) * calibratedMeters
        calibratedMeters += change
        return change
    }
}
