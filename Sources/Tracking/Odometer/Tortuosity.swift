import Glibc

/// How winding the way has been of late: by how much it was longer than the straight lines between seldom fixes.
///
/// Roads differ in this by far more than its mean: at a fix a minute a motorway loses 2 % and a mountain road a third. So
/// it is learned from the drive itself.
struct Tortuosity: Equatable, Sendable, Codable {
    /// How much longer a way is than the straight line, in parts of it and for each second between its ends, before
    /// anything is known. Positions of real drives lose 0.8 % at 10 s, 3.4 % at 30 s and 6.6 % at 60 s.
    private static let detourPerSecond = 0.0011
    /// However long it took, roads that nobody has seen yet are taken for no longer than this over the straight line
    /// (Boscoe et al. 2012: 1.42).
    static let largestDetour = 0.4
    /// One standard deviation of the means of roads, in parts of that: a motorway has hardly any, a town's streets have twice
    /// as much, a mountain road five times.
    private static let priorSpread = 1.5
    /// The same once it was seen: bends are not spread evenly over a drive.
    private static let learnedSpread = 0.3
    /// By then what was seen counts as much as what is known beforehand, metres: some corners of a town.
    private static let priorWeightMeters = 500.0
    /// What was seen is forgotten with this time, seconds: a town is crossed, and a motorway begun, in half an hour.
    private static let memorySeconds = 1800.0

    /// What some legs tell of it.
    struct Sum: Equatable, Sendable, Codable {
        fileprivate var straightMeters = 0.0
        fileprivate var detourMeters = 0.0
        fileprivate var straightMeterSeconds = 0.0
        fileprivate var seconds = 0.0
        /// The direction of the last line, degrees; nil after legs that were not taken for lines.
        fileprivate var lineDegrees: Double?

        /// How far apart the ends of the lines were, seconds; where there were any.
        fileprivate var meanSeconds: Double { straightMeterSeconds / straightMeters }

        /// Nothing.
        init() {}

        /// - Parameters:
        ///   - straight: the line between two fixes, metres.
        ///   - detour: by how much the way was longer.
        ///   - seconds: the time between them.
        ///   - line: the direction of the line, degrees; nil where the next leg does not begin at its end.
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

    private var observed = Sum()

    /// The direction of the line before, degrees; nil where there was none just before.
    var lineDegrees: Double? { observed.lineDegrees }

    /// How little of it is seen of the way between fixes that are so far apart, 0 to 1: what was seen of minutes tells
    /// little of an hour.
    private func priorShare(overSeconds seconds: Double) -> Double {
        guard observed.straightMeters > 0 else { return 1 }
        let beforehand = Self.priorWeightMeters / (Self.priorWeightMeters + observed.straightMeters)
        return max(beforehand, 1 - observed.meanSeconds / max(seconds, 1))
    }

    /// One standard error of ``detourRatio(overSeconds:)``, in parts of it.
    func relativeStandardError(overSeconds seconds: Double) -> Double {
        Self.learnedSpread + (Self.priorSpread - Self.learnedSpread) * priorShare(overSeconds: seconds)
    }

    /// The variance of what a single way is longer, in parts of the square of its mean: 1 as of an exponential
    /// distribution, and where its mean is not known the more, E(2 m²) / E(m)² − 1.
    func varianceFactor(overSeconds seconds: Double) -> Double {
        1 + 2 * Self.priorSpread * Self.priorSpread * priorShare(overSeconds: seconds)
    }

    /// By how much a way is longer than the line in the mean, in parts of it.
    func detourRatio(overSeconds seconds: Double) -> Double {
        let expected = min(Self.detourPerSecond * seconds, Self.largestDetour)
        guard observed.straightMeters > 0 else { return expected }
        let share = observed.detourMeters / observed.straightMeters
        let scaled = min(share * seconds / observed.meanSeconds, max(share, Self.largestDetour))
        return (expected * Self.priorWeightMeters + scaled * observed.straightMeters)
            / (Self.priorWeightMeters + observed.straightMeters)
    }

    /// The next leg has nothing to do with the last one.
    mutating func interrupt() {
        observed.lineDegrees = nil
    }

    /// Some legs were counted.
    mutating func learn(from new: Sum) {
        guard new.seconds > 0 else { return interrupt() }
        let keep = exp(-new.seconds / Self.memorySeconds)
        observed.straightMeters *= keep
        observed.detourMeters *= keep
        observed.straightMeterSeconds *= keep
        observed += new
    }
}
