/// The odometer's result for a capture with a known true distance, as ratios to it.
struct DistanceResult {
    /// The error of the odometer.
    let error: Double
    /// The odometer's own error estimate.
    let bound: Double
    /// The error of the sum of the straight lines.
    let naive: Double

    /// The error and the bound in per cent.
    var percentages: String { "\(text(error * 100)) % ± \(text(bound * 100)) %" }

    /// - Parameter truth: The true distance, metres.
    init(of capture: Capture, truth: Double) {
        let outcome = Outcome(capture)
        error = outcome.meters / truth - 1
        bound = outcome.errorMeters / truth
        naive = capture.lineMeters / truth - 1
    }
}
