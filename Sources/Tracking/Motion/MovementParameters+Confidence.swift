import Glibc

/// What the movement model's probabilities are worth.
///
/// A model that takes its measurements for independent and its own rates for known is surer than it is right. The remedy
/// is the usual one, a straight line between the odds it gives and the odds that hold, both as logarithms (Platt 1999).
/// One line serves phones at 1 Hz in cars, on bicycles and on foot, days of walks and trams, and delivery rounds at 5 s:
/// it is chosen so that what is said at 80 is right in four of five cases on each of them. None was held out, so of others
/// some points less are to be expected.
extension MovementParameters {
    /// Nobody who only sees positions is certain.
    private static let maximumPercent = 99

    /// What the probability of a state counts where the activity is chosen.
    func activityWeight(of movement: MovementState) -> Double {
        movement.isStationary && movement.mode.isOnWheels ? vehicleHaltWeight : 1
    }

    /// In how many of 100 cases an activity is right that has a share of the probability.
    /// - Parameter share: 0 to 1.
    func confidencePercent(ofShare share: Double) -> Int {
        guard share > 0 else { return 0 }
        let wrong = max(1 - share, 0)
        let odds = pow(share, confidenceSlope)
        let percent = 100 * odds / (odds + confidenceOddsDivisor * pow(wrong, confidenceSlope))
        return min(Int(percent.rounded()), Self.maximumPercent)
    }
}
