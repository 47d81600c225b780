import CivilTime
import Geodesy

/// Decides whether the vehicle moves.
///
/// ``StationaryRule`` decides when the vehicle stops. An anchor then holds the parked position. Movement begins farther
/// from it than the rule's distance, or clearly beyond the receiver's noise with a reported speed that agrees.
struct MotionDetector: Equatable, Sendable, Codable {
    /// The known movement.
    enum State: Equatable, Sendable, Codable {
        case unknown
        case moving
        case stationary(anchor: Coordinate)
    }

    /// A speed that cannot be noise of the Doppler measurement (its error is about 0.1 to 0.5 m/s), m/s.
    private static let certainSpeedMetersPerSecond = 2.0
    /// The fixes in a row with such a speed after which movement begins…
    private static let certainSpeedFixes = 3
    /// …if the vehicle is also this far beyond the noise, metres.
    private static let clearanceMeters = 15.0
    /// Points closer in time than this give no new evidence of a stop, and would fill the window at 10 Hz, seconds.
    private static let pointSpacingSeconds = 0.9
    /// The number of points that suffice for an interval of any length.
    private static let maximumPointCount = 60.0

    private(set) var state = State.unknown
    private var window: [TrackPoint] = []
    private var fastFixCount = 0

    /// - Parameter state: the movement that was known before.
    init(state: State = .unknown) {
        self.state = state
    }

    var isMoving: Bool { state == .moving }

    /// Whether an anchor holds the parked position.
    var isStationary: Bool { if case .stationary = state { true } else { false } }

    /// Applies a fix.
    /// - Returns: whether the state has changed.
    mutating func update(with fix: Fix, rule: StationaryRule) -> Bool {
        appendToWindow(fix, intervalSeconds: rule.intervalSeconds)
        let speed = fix.speedMetersPerSecond ?? 0
        fastFixCount = speed >= Self.certainSpeedMetersPerSecond ? fastFixCount + 1 : 0
        switch state {
        case .unknown, .moving:
            if let stand = rule.stationaryPoint(among: window) {
                state = .stationary(anchor: stand.coordinate)
                return true
            }
            return state == .unknown
                && detectDeparture(fix, from: window.first?.coordinate ?? fix.coordinate, rule: rule)
        case .stationary(let anchor):
            return detectDeparture(fix, from: anchor, rule: rule)
        }
    }

    /// Separates what follows from the fixes before, because tracking was interrupted.
    mutating func interrupt() {
        window.removeAll()
        fastFixCount = 0
    }

    private mutating func detectDeparture(_ fix: Fix, from anchor: Coordinate, rule: StationaryRule) -> Bool {
        let distance = anchor.distanceMeters(to: fix.coordinate)
        let noise = fix.assumedAccuracyMeters
        let hasLeft = distance > rule.distanceMeters + noise
        let hasDriven = fastFixCount >= Self.certainSpeedFixes && distance > noise + Self.clearanceMeters
        guard hasLeft || hasDriven else { return false }
        state = .moving
        window.removeAll(where: { $0.timestamp < fix.timestamp })
        return true
    }

    private mutating func appendToWindow(_ fix: Fix, intervalSeconds: Double) {
        let spacing = max(Self.pointSpacingSeconds, intervalSeconds / Self.maximumPointCount - 0.1)
        if let newest = window.last, fix.timestamp.seconds(since: newest.timestamp) < spacing {
            if fix.timestamp >= newest.timestamp { return }
            window.removeAll()
        }
        // One point beyond the interval stays, so that the window spans it.
        while window.count > 1, fix.timestamp.seconds(since: window[1].timestamp) >= intervalSeconds {
            window.removeFirst()
        }
        window.append(
            TrackPoint(
                timestamp: fix.timestamp, coordinate: fix.coordinate,
                speedMetersPerSecond: fix.speedMetersPerSecond))
    }
}
