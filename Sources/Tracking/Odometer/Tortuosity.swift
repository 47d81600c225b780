import Glibc

/// The tortuosity of the recent roads: their extra length over the straight lines between sparse fixes.
///
/// Roads differ in it by far more than its mean: at one fix a minute a motorway loses 2 % and a mountain road a third.
/// So it is learned during the drive.
struct Tortuosity: Equatable, Sendable, Codable {
    /// The prior extra length of a road as a share of the straight line, per second between its ends. Positions of real
    /// drives lose 0.8 % at 10 s, 3.4 % at 30 s and 6.6 % at 60 s.
    private static let detourPerSecond = 0.0011
    /// The largest extra length of unknown roads as a share of the line, for any duration (Boscoe et al. 2012: 0.42).
    static let largestDetour = 0.4
    /// The speed of those drives, m/s. A comfortable acceleration sideways limits the turn in a time to the inverse of
    /// the speed, and the detour is its square.
    private static let usualMetersPerSecond = 10.0
    /// The prior standard deviation between roads, relative to their mean: motorways have almost no detour, streets in
    /// towns twice the mean, mountain roads five times.
    private static let priorSpread = 1.5
    /// The same after observation: bends are not spread evenly over a drive.
    private static let learnedSpread = 0.3
    /// The observed distance that counts as much as the prior, metres: some corners in a town.
    private static let priorWeightMeters = 500.0
    /// The time over which observations are forgotten, seconds: half an hour leads from a town to a motorway.
    private static let memorySeconds = 1800.0

    /// The evidence of some segments.
    struct Sum: Equatable, Sendable, Codable {
        fileprivate var straightMeters = 0.0
        fileprivate var detourMeters = 0.0
        fileprivate var straightMeterSeconds = 0.0
        fileprivate var seconds = 0.0
        /// The direction of the last line, degrees; nil after segments that are not measured as lines.
        fileprivate var lineDegrees: Double?

        /// The mean time between the ends of the lines, seconds; only valid if there are any.
        fileprivate var meanSeconds: Double { straightMeterSeconds / straightMeters }

        /// Creates an empty sum.
        init() {}

        /// Creates the evidence of one segment.
        /// - Parameters:
        ///   - straight: the straight line between two fixes, metres.
        ///   - detour: the extra length of the road, metres.
        ///   - seconds: the time between the fixes.
        ///   - line: the direction of the line, degrees; nil if the next segment does not begin at its end.
        init(straightMeters straight: Double, detourMeters detour: Double, seconds: Double, lineDegrees line: Double?) {
            straightMeters = straight
            detourMeters = detour
            straightMeterSeconds = straight * seconds
            self.seconds = seconds
            lineDegrees = line
        }

        static func += (sum: inout Sum, other: Sum) {
            sum.straightMeters += other.straightMeters
            sum.detourMeters += other.detourMeters
            sum.straightMeterSeconds += other.straightMeterSeconds
            sum.seconds += other.seconds
            sum.lineDegrees = other.lineDegrees
        }
    }

    /// A shorter observed length tells nothing about the roads, metres.
    private static let leastMeters = 1.0

    private var observed = Sum()

    /// The direction of the previous line, degrees; nil if no segment came just before.
    var lineDegrees: Double? { observed.lineDegrees }

    /// Returns the share of the prior in the estimate for a duration, 0 to 1. Minutes say little about an hour.
    func priorShare(overSeconds seconds: Double) -> Double {
        guard observed.straightMeters > 0 else { return 1 }
        let beforehand = Self.priorWeightMeters / (Self.priorWeightMeters + observed.straightMeters)
        return max(beforehand, 1 - observed.meanSeconds / max(seconds, 1))
    }

    /// Returns the relative standard error of ``detourRatio(overSeconds:at:)``.
    func relativeStandardError(overSeconds seconds: Double) -> Double {
        Self.learnedSpread + (Self.priorSpread - Self.learnedSpread) * priorShare(overSeconds: seconds)
    }

    /// Returns the variance of a single detour relative to the square of its mean: 1 as of an exponential distribution,
    /// and more if the mean is uncertain, E(2 m²) / E(m)² − 1.
    func varianceFactor(overSeconds seconds: Double) -> Double {
        1 + 2 * Self.priorSpread * Self.priorSpread * priorShare(overSeconds: seconds)
    }

    /// Returns the mean extra length of a road as a share of the straight line.
    /// - Parameter speed: the straight line divided by the time, m/s.
    func detourRatio(overSeconds seconds: Double, at speed: Double = 0) -> Double {
        let calm = min(Self.usualMetersPerSecond / max(speed, Self.usualMetersPerSecond), 1)
        let expected = min(Self.detourPerSecond * seconds * calm * calm, Self.largestDetour)
        // A sum that decays over weeks becomes so small that its quotients are wrong.
        guard observed.straightMeters >= Self.leastMeters else { return expected }
        let share = max(observed.detourMeters / observed.straightMeters, 0)
        let scaled = min(share * seconds / observed.meanSeconds, max(share, Self.largestDetour))
        return (expected * Self.priorWeightMeters + scaled * observed.straightMeters)
            / (Self.priorWeightMeters + observed.straightMeters)
    }

    /// Forgets the direction: the next segment does not continue the last one.
    mutating func interrupt() {
        observed.lineDegrees = nil
    }

    /// Learns from segments that were counted.
    mutating func learn(from new: Sum) {
        guard new.seconds > 0 else { return interrupt() }
        let keep = exp(-new.seconds / Self.memorySeconds)
        observed.straightMeters *= keep
        observed.detourMeters *= keep
        observed.straightMeterSeconds *= keep
        observed += new
    }
}
