import OdographCivilTime
import OdographGeodesy
import OdographModel

/// The centre of a stop and the spread of its fixes, updated with each fix.
///
/// A running M-estimate (Huber 1964): a fix pulls the centre by its offset, limited to three times the spread, so an
/// outlier has little effect. The pull decreases with the number of fixes.
struct RobustCenter: Equatable, Sendable, Codable {
    /// The minimum pull of a fix of 5 m accuracy, as a share of its offset. The centre goes on learning: a receiver's
    /// first minutes are its worst.
    private static let minimumWeight = 1.0 / 600

    /// The time in which the spread follows the noise, seconds.
    private static let memorySeconds = 120.0
    /// The largest spread that unreported noise explains, metres: a median of 12 m is 25 m in 95 of 100 cases.
    private static let largestSpreadMeters = 12.0
    /// The 95 % radius of a normal distribution in the plane, as a multiple of the median distance.
    private static let spreadsPerRadius = 2.08
    /// The median distance of such a distribution from its centre, standard errors of one axis.
    private static let medianInStandardErrors = 1.18
    /// The 95 % radius of a centre of some minutes, as a share of a fix's. Noise correlated over minutes hardly
    /// averages out.
    static let accuracyShare = 0.5
    /// The distance between places of one stop, metres: the length of a van and some steps, the rooms of a house.
    static let placeRadiusMeters = 10.0

    /// The centre.
    private(set) var coordinate: Coordinate
    /// The time of the first fix.
    private(set) var since: Timestamp
    /// The median distance of the fixes from the centre, metres.
    private(set) var spreadMeters: Double
    /// The sum of the fixes' weights; a fix of 5 m accuracy counts 1.
    private(set) var weightSum: Double
    /// The time of the last fix.
    private(set) var newest: Timestamp

    /// Creates a centre from saved values.
    init(coordinate: Coordinate, since: Timestamp, newest: Timestamp, spreadMeters: Double, weightSum: Double) {
        self.coordinate = coordinate
        self.since = since
        self.newest = newest
        self.spreadMeters = spreadMeters
        self.weightSum = weightSum
    }

    init(at fix: Fix, since start: Timestamp? = nil) {
        coordinate = fix.coordinate
        since = start ?? fix.timestamp
        newest = fix.timestamp
        spreadMeters = 3
        weightSum = Self.weight(of: fix)
    }

    mutating func add(_ fix: Fix) {
        let weight = Self.weight(of: fix)
        weightSum += weight
        let distance = pull(to: fix, share: max(weight / weightSum, Self.leastShare(of: fix)))
        // A stochastic approximation of the median (Robbins and Monro 1951), slow enough that a walk across the stop
        // does not increase it.
        let seconds = min(max(fix.timestamp.seconds(since: newest), 0), Self.memorySeconds)
        newest = fix.timestamp
        let step = seconds / Self.memorySeconds * max(spreadMeters, 0.5)
        spreadMeters = min(max(spreadMeters + (distance > spreadMeters ? step : -step), 0.5), Self.largestSpreadMeters)
    }

    /// Takes a fix that may be none of the stop: it pulls the centre as little as a fix does after hours.
    mutating func drift(to fix: Fix) { pull(to: fix, share: Self.leastShare(of: fix)) }

    /// Moves the centre by a share of the offset of a fix.
    /// - Returns: The distance of the fix before that, metres.
    @discardableResult
    private mutating func pull(to fix: Fix, share: Double) -> Double {
        let plane = LocalPlane(origin: coordinate)
        let offset = plane.eastNorthMeters(of: fix.coordinate)
        let distance = offset.distanceMeters(to: .zero)
        let limit = 3 * spreadMeters
        let pull = share * (distance > limit ? limit / distance : 1)
        coordinate = plane.coordinate(
            of: LocalPoint(eastMeters: offset.eastMeters * pull, northMeters: offset.northMeters * pull))
        return distance
    }

    private static func leastShare(of fix: Fix) -> Double { min(weight(of: fix), 1) * minimumWeight }

    /// The standard error of a fix along a line through the centre, metres. Nil while the spread is not known.
    var standardErrorMeters: Double? {
        newest.seconds(since: since) >= Self.memorySeconds ? spreadMeters / Self.medianInStandardErrors : nil
    }

    /// Returns the 95 % radius of the centre, metres.
    func accuracyMeters(for fix: Fix?) -> Double {
        max(spreadMeters, Self.accuracyShare * (fix?.accuracyMeters ?? ReceiverErrorModel.assumedAccuracyMeters))
    }

    /// Returns the distance from the centre within which a fix is no evidence of a departure, metres.
    func radiusMeters(for fix: Fix) -> Double {
        max(Self.spreadsPerRadius * spreadMeters, fix.assumedAccuracyMeters)
    }

    /// Returns the distance from the centre beyond which a fix is outside the core of the stop, metres.
    func coreRadiusMeters(for fix: Fix) -> Double {
        max(Self.spreadsPerRadius * spreadMeters, fix.accuracyMeters ?? 0, Self.placeRadiusMeters)
    }

    /// Returns the distance beyond which the accuracy circle of a position contains no point of the stop, metres.
    static func coreRadiusMeters(accuracyMeters: Double) -> Double { placeRadiusMeters + accuracyMeters }

    /// Returns the weight of a fix: the inverse square of its accuracy, relative to 5 m.
    private static func weight(of fix: Fix) -> Double {
        let accuracy = max(fix.assumedAccuracyMeters, 1)
        return min(25 / (accuracy * accuracy), 4)
    }
}
