import Glibc

/// What the movement model's probabilities are worth.
///
/// A model that takes its measurements for independent and its own rates for known is surer than it is right. The remedy
/// is the usual one, a straight line between the odds it gives and the odds that hold, both as logarithms (Platt 1999).
/// One line serves phones at 1 Hz in cars, on bicycles and on foot, days of walks and trams, and delivery rounds at 5 s:
/// it is chosen so that what is said at 80 is right in four of five cases on each of them. None was held out, so of others
/// some points less are to be expected.
enum ActivityConfidence {
    /// The slope. Speeds that follow each other err alike, also beyond what the likelihood's own root makes good.
    private static let slope = 0.7
    /// What the odds are divided by: at even odds of the model its answer is wrong so many times as often as right.
    private static let doubt = 2.0
    /// A stand tells nothing of who stands. How often it is a light and how often a door depends on the trade, from which
    /// the rates differ by some factors: only a clear case is told as one in a vehicle or on a bicycle.
    private static let standOnWheels = 0.3

    /// What the probability of a state counts where the activity is chosen.
    static func weight(of movement: Movement) -> Double {
        movement.isHalt && (movement.carrier == .vehicle || movement.carrier == .bicycle) ? standOnWheels : 1
    }

    /// In how many of 100 cases an activity is right that has a share of the probability.
    /// - Parameter share: 0 to 1.
    static func percent(ofShare share: Double) -> Int {
        guard share > 0 else { return 0 }
        let wrong = max(1 - share, 0)
        let odds = pow(share, slope)
        return Int((100 * odds / (odds + doubt * pow(wrong, slope))).rounded())
    }
}
