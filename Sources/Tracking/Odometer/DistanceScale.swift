/// Learns the scale of a measured distance against another measurement of it, by least squares.
///
/// The estimate is the mean of the normal distribution that remains after a prior and the observed stretches.
struct DistanceScale: Equatable, Sendable, Codable {
    /// The prior standard deviation of the scale, as a share: approved speedometers, other tyre sizes, phones.
    private static let priorSpread = 0.03
    /// The number of stretches as which the assumption counts that the variances are right.
    private static let priorStretches = 5.0

    /// The information of the stretches: the sum of the squared distances, each divided by the variance.
    private var squareSum = 0.0
    private var shortfallSum = 0.0
    /// The lengths of the stretches, and the error that is common to all of them, metres.
    private var meters = 0.0
    private var sharedMeters = 0.0
    /// The information of the prior; 0 if the prior was refuted.
    private var prior = 1 / (priorSpread * priorSpread)
    /// The stretches whose residuals are known, and the sum of the squared residuals, each divided by its variance.
    private var residualCount = 0.0
    private var residualSum = 0.0

    init() {}

    /// Creates a scale that only what is learned determines.
    static var unknown: DistanceScale {
        var scale = DistanceScale()
        scale.prior = 0
        return scale
    }

    private var information: Double { squareSum + prior }

    /// Whether a stretch has shown the scale.
    var isKnown: Bool { squareSum > 0 }

    /// The true distance per measured distance.
    var factor: Double { information > 0 ? 1 + shortfallSum / information : 1 }

    /// The standard error of ``factor``; 1 if nothing is known.
    var standardError: Double {
        guard information > 1 else { return 1 }
        let shared = meters > 0 ? sharedMeters / meters : 0
        return (1 / information + shared * shared).squareRoot()
    }

    /// The error of ``factor`` that the stretches show, as a share: ``standardError`` times the ratio of Birge (1932),
    /// the root of the mean squared residual. Stretches that differ by more than their variances show an error that
    /// these do not contain, as of a phone's filter.
    var shownError: Double {
        let ratio = (Self.priorStretches + residualSum) / (Self.priorStretches + residualCount)
        return standardError * ratio.squareRoot()
    }

    /// Returns what counts of a share: nothing within two standard errors, all of it from four.
    static func thresholded(_ share: Double, standardError: Double) -> Double {
        let counted = min(max(2 * (abs(share) - 2 * standardError), 0), abs(share))
        return share < 0 ? -counted : counted
    }

    /// Takes a stretch that both measured.
    /// - Parameters:
    ///   - meters: the distance by the other measurement, metres.
    ///   - measured: the distance whose scale is learned, metres, > 0.
    ///   - variance: of the difference, m², > 0.
    ///   - shared: the standard error that is common to all stretches, metres.
    ///   - memory: the distance over which observations are forgotten, metres.
    mutating func learn(
        meters new: Double, measured: Double, variance: Double, sharedMeters shared: Double = 0,
        memoryMeters memory: Double
    ) {
        let keep = memory / (memory + new)
        if information > 1 {
            let residual = new - factor * measured
            residualSum = keep * residualSum + residual * residual / (variance + measured * measured / information)
            residualCount = keep * residualCount + 1
        }
        meters = keep * meters + new
        sharedMeters = keep * sharedMeters + shared
        squareSum = keep * squareSum + measured * measured / variance
        shortfallSum = keep * shortfallSum + measured * (new - measured) / variance
    }
}
