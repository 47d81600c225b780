import CivilTime
import Geodesy

/// The centre of a stay and how far its fixes lie around it, kept up fix by fix.
///
/// A running M-estimate (Huber 1964): a fix pulls the centre by its offset, but by no more than thrice the spread, so a
/// wild one does not matter, and less the more fixes there were.
struct RobustCenter: Equatable, Sendable, Codable {
    /// A fix weighs at least so much: the centre goes on learning, since the first minutes of a receiver are its worst.
    private static let minimumWeight = 1.0 / 600

    /// The spread follows the noise within some minutes, seconds.
    private static let memorySeconds = 120.0
    /// What a receiver does not own up to by its accuracy: a median of 12 m is 25 m in 95 of 100 cases.
    private static let largestSpreadMeters = 12.0
    /// 95 of 100 points of a normal distribution in the plane lie within so many times the median of their distances.
    private static let spreadsPerRadius = 2.08
    /// The 95 % radius of a centre of some minutes is this share of a fix's: noise that is correlated over minutes hardly
    /// averages out.
    static let accuracyShare = 0.5
    /// How far the places of one stay lie apart: the length of a van and some steps, the rooms of a house.
    static let placeRadiusMeters = 10.0

    /// The centre.
    private(set) var coordinate: Coordinate
    /// The time of the first fix.
    private(set) var since: Timestamp
    /// Half of the fixes lie nearer to the centre than this, metres.
    private(set) var spreadMeters: Double
    /// How many fixes of 5 m accuracy it is worth.
    private(set) var weightSum: Double
    /// The time of the last fix.
    private(set) var newest: Timestamp

    /// A centre that was known before.
    init(coordinate: Coordinate, since: Timestamp, newest: Timestamp, spreadMeters: Double, weightSum: Double) {
        self.coordinate = coordinate
        self.since = since
        self.newest = newest
        self.spreadMeters = spreadMeters
        self.weightSum = weightSum
    }

    init(at fix: Fix) {
        coordinate = fix.coordinate
        since = fix.timestamp
        newest = fix.timestamp
        spreadMeters = 3
        weightSum = Self.weight(of: fix)
    }

    mutating func add(_ fix: Fix) {
        let weight = Self.weight(of: fix)
        weightSum += weight
        let share = max(weight / weightSum, min(weight, 1) * Self.minimumWeight)
        let plane = LocalPlane(origin: coordinate)
        let offset = plane.eastNorthMeters(of: fix.coordinate)
        let distance = offset.distanceMeters(to: .zero)
        let limit = 3 * spreadMeters
        let pull = share * (distance > limit ? limit / distance : 1)
        coordinate = plane.coordinate(
            of: LocalPoint(eastMeters: offset.eastMeters * pull, northMeters: offset.northMeters * pull))
        // The median by small steps (Robbins and Monro 1951), slow enough that a walk across it does not widen it.
        let seconds = min(max(fix.timestamp.seconds(since: newest), 0), Self.memorySeconds)
        newest = fix.timestamp
        let step = seconds / Self.memorySeconds * max(spreadMeters, 0.5)
        spreadMeters = min(max(spreadMeters + (distance > spreadMeters ? step : -step), 0.5), Self.largestSpreadMeters)
    }

    /// The centre's own 95 % radius, metres.
    func accuracyMeters(for fix: Fix?) -> Double {
        max(spreadMeters, Self.accuracyShare * (fix?.accuracyMeters ?? ReceiverErrorModel.assumedAccuracyMeters))
    }

    /// Fixes within this distance of the centre are no sign that it was left, metres.
    func radiusMeters(for fix: Fix) -> Double {
        max(Self.spreadsPerRadius * spreadMeters, fix.assumedAccuracyMeters)
    }

    /// Beyond this distance a fix is somewhere else than most of the stay, metres.
    func coreRadiusMeters(for fix: Fix) -> Double {
        max(Self.spreadsPerRadius * spreadMeters, fix.accuracyMeters ?? 0, Self.placeRadiusMeters)
    }

    /// Beyond this distance a position of a given accuracy is somewhere else than the stay, metres: no point of the
    /// place is within what the receiver owns up to.
    static func coreRadiusMeters(accuracyMeters: Double) -> Double { placeRadiusMeters + accuracyMeters }

    /// Fixes count by the inverse of the square of their accuracy, against one of 5 m.
    private static func weight(of fix: Fix) -> Double {
        let accuracy = max(fix.assumedAccuracyMeters, 1)
        return min(25 / (accuracy * accuracy), 4)
    }
}
