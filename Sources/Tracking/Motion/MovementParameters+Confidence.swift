import Glibc

/// The calibration of the movement model's probabilities.
///
/// The model treats its measurements as independent and its rates as known, so it is overconfident. The usual remedy is
/// a linear function from the logarithm of the model's odds to that of the observed odds (Platt 1999). One function
/// serves phones at 1 Hz in cars, on bicycles and on foot, days of walks and trams, and delivery rounds at 5 s. On
/// drives that are held out, lines fitted to the others are as good as this one: `TimelineEvaluation
/// --only=confidence`. It holds for many drives together; a single drive can be 20 points better or worse.
extension MovementParameters {
    /// The highest confidence: positions alone never make an activity certain.
    private static let maximumPercent = 99

    /// Returns the weight of a state's probability when the activity is chosen.
    func activityWeight(of movement: MovementState) -> Double {
        movement.isStationary && movement.mode.isOnWheels ? haltWeight : 1
    }

    /// Returns the confidence of an activity: the number of cases in 100 in which it is right.
    /// - Parameter share: the activity's share of the probability, 0 to 1.
    func confidencePercent(ofShare share: Double) -> Int {
        guard share > 0 else { return 0 }
        let wrong = max(1 - share, 0)
        let odds = pow(share, confidenceSlope)
        let percent = 100 * odds / (odds + confidenceOddsDivisor * pow(wrong, confidenceSlope))
        return min(Int(percent.rounded()), Self.maximumPercent)
    }
}
