/// Learns the scale of a measured distance against another measurement of it, by least squares.
///
/// The estimate is the mean of the normal distribution that remains after a prior and the observed stretches.
struct DistanceScale: Equatable, Sendable, Codable {
    /// The prior standard deviation of the scale, as a share: approved speedometers, other tyre sizes, phones.
    private static let priorSpread = 0.03

    /// The information of the stretches: the sum of the squared distances, each divided by the variance.
    private var squareSum = 0.0
    private var shortfallSum = 0.0
    /// The lengths of the stretches, and the error that is common to all of them, metres.
    private var meters = 0.0
    private var sharedMeters = 0.0
    /// The information of the prior; 0 if the prior was refuted.
    private var prior = 1 / (priorSpread * priorSpread)

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
        meters = keep * meters + new
        sharedMeters = keep * sharedMeters + shared
        squareSum = keep * squareSum + measured * measured / variance
        shortfallSum = keep * shortfallSum + measured * (new - measured) / variance
    }
}
