/// What the odometer says of a capture whose true distance is known, all in parts of that.
struct DistanceResult {
    /// Of the odometer.
    let error: Double
    /// What it says of its error.
    let bound: Double
    /// The error of the sum of the straight lines.
    let naive: Double

    /// - Parameter truth: the true distance, metres.
    init(of capture: Capture, truth: Double) {
        let outcome = Outcome(capture)
        error = outcome.meters / truth - 1
        bound = outcome.errorMeters / truth
        naive = capture.lineMeters / truth - 1
    }
}
