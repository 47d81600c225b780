import CivilTime
import Geodesy

/// A stretch of fixes whose speeds say that something moves, of a vehicle that stood: is it a way?
///
/// Speeds have outliers, as when a bus passes that reflects, and positions hop. Of a way both tell the same.
struct SettingOut: Equatable, Sendable, Codable {
    /// Who goes round a bend makes good two thirds of his way at least: half a circle's diameter is 0.64 of it. Beside the
    /// noise of the speeds, half.
    private static let leastShare = 0.5
    /// So much of what the positions made good the speeds explain, 0 to 1.
    private static let explainedShare = 0.75

    /// When the first fix told of a movement that is no noise; nil while none has.
    private(set) var since: Timestamp?
    /// How many fixes have.
    private(set) var fixes = 0
    /// Where it began.
    private let start: Coordinate
    /// Where it would have begun without the hops since.
    private var unhoppedStart: Coordinate
    /// The way told by the speeds, metres.
    private var toldMeters = 0.0

    init(from start: Coordinate) {
        self.start = start
        unhoppedStart = start
    }

    /// Takes the next fix.
    /// - Parameters:
    ///   - legMeters: the way to it.
    ///   - isMoving: whether its speed is no noise.
    mutating func add(_ fix: Fix, legMeters: Double, isMoving: Bool) {
        toldMeters += legMeters
        guard isMoving else { return }
        since = since ?? fix.timestamp
        fixes += 1
    }

    /// A hop is no way: where it began moves along.
    mutating func moveAlong(_ hop: LocalPoint) {
        unhoppedStart = LocalPlane(origin: unhoppedStart).coordinate(of: hop)
    }

    /// Whether positions and speeds tell the same way, and one that is longer than the noise.
    func isWay(to fix: Fix) -> Bool {
        let noise = 2 * FixNoise.driftMeters(accuracyMeters: fix.assumedAccuracyMeters)
        let explained = unhoppedStart.distanceMeters(to: fix.coordinate)
        return explained >= max(Self.leastShare * toldMeters, noise)
            && explained >= Self.explainedShare * start.distanceMeters(to: fix.coordinate)
    }
}
