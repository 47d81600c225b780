import CivilTime
import Geodesy

/// A stretch of fixes whose speeds say that something moves, of a vehicle that stood: is it a way?
///
/// Speeds have outliers, as when a bus passes that reflects, and positions hop. Of a way both tell the same.
struct DepartureEvidence: Equatable, Sendable, Codable {
    /// Who goes round a bend makes good two thirds of his way at least: half a circle's diameter is 0.64 of it. Beside the
    /// noise of the speeds, half.
    private static let minimumDisplacementShare = 0.5
    /// So much of what the positions made good the speeds explain, 0 to 1.
    private static let minimumExplainedShare = 0.75

    /// When the first fix told of a movement that is no noise; nil while none has.
    private(set) var since: Timestamp?
    /// How many fixes have.
    private(set) var fixCount = 0
    /// Where it began.
    private let start: Coordinate
    /// Where it would have begun without the hops since.
    private var jumpCorrectedStart: Coordinate
    /// The way told by the speeds, metres.
    private var reportedMeters = 0.0

    init(from start: Coordinate) {
        self.start = start
        jumpCorrectedStart = start
    }

    /// Takes the next fix.
    /// - Parameters:
    ///   - legMeters: the way to it.
    ///   - isMoving: whether its speed is no noise.
    mutating func add(_ fix: Fix, segmentMeters: Double, isMoving: Bool) {
        reportedMeters += segmentMeters
        guard isMoving else { return }
        since = since ?? fix.timestamp
        fixCount += 1
    }

    /// A hop is no way: where it began moves along.
    mutating func shift(by hop: LocalPoint) {
        jumpCorrectedStart = LocalPlane(origin: jumpCorrectedStart).coordinate(of: hop)
    }

    /// Whether positions and speeds tell the same way, and one that is longer than the noise.
    func isDeparture(to fix: Fix) -> Bool {
        let noise = 2 * ReceiverErrorModel.driftMeters(accuracyMeters: fix.assumedAccuracyMeters)
        let explained = jumpCorrectedStart.distanceMeters(to: fix.coordinate)
        return explained >= max(Self.minimumDisplacementShare * reportedMeters, noise)
            && explained >= Self.minimumExplainedShare * start.distanceMeters(to: fix.coordinate)
    }
}
