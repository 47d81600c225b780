import OdographCivilTime
import OdographGeodesy
import OdographModel

/// The fixes since the reported speeds began to indicate a departure from a stop.
///
/// Speeds have outliers (a passing bus reflects the signal) and positions jump. In a real departure both agree.
struct DepartureEvidence: Equatable, Sendable, Codable {
    /// The least displacement as a share of the reported distance, 0 to 1. In a bend the displacement is about two
    /// thirds of the distance (half a circle: 0.64); the rest allows for the noise of the speeds.
    private static let minimumDisplacementShare = 0.5
    /// The least share of the displacement that remains without the position jumps, 0 to 1.
    private static let minimumExplainedShare = 0.75

    /// The time of the first fix with a speed above the noise; nil if there was none.
    private(set) var since: Timestamp?
    /// The number of fixes with a speed above the noise.
    private(set) var fixCount = 0
    /// The position at the beginning.
    private let start: Coordinate
    /// The same, moved with the position jumps since.
    private var jumpCorrectedStart: Coordinate
    /// The distance according to the speeds, metres.
    private var reportedMeters = 0.0

    init(from start: Coordinate) {
        self.start = start
        jumpCorrectedStart = start
    }

    /// Adds the next fix.
    /// - Parameters:
    ///   - segmentMeters: the distance to it, metres.
    ///   - isMoving: whether its speed is above the noise.
    mutating func add(_ fix: Fix, segmentMeters: Double, isMoving: Bool) {
        reportedMeters += segmentMeters
        guard isMoving else { return }
        since = since ?? fix.timestamp
        fixCount += 1
    }

    /// Moves the start with a jump, so that it does not count as movement.
    mutating func shift(by hop: LocalPoint) {
        jumpCorrectedStart = LocalPlane(origin: jumpCorrectedStart).coordinate(of: hop)
    }

    /// Whether displacement and speeds agree, and the displacement is longer than the noise.
    /// - Parameter least: the least displacement, metres.
    func isDeparture(to fix: Fix, overMeters least: Double = 0) -> Bool {
        let noise = 2 * ReceiverErrorModel.driftMeters(accuracyMeters: fix.assumedAccuracyMeters)
        let explained = jumpCorrectedStart.distanceMeters(to: fix.coordinate)
        return explained >= max(Self.minimumDisplacementShare * reportedMeters, noise, least)
            && explained >= Self.minimumExplainedShare * start.distanceMeters(to: fix.coordinate)
    }
}
