import CivilTime
import Geodesy

/// Decides whether the vehicle moves.
///
/// It comes to rest by the rule of ``StationaryRule``. At rest an anchor holds the parked place, and movement begins
/// when the vehicle has left it: farther than the rule's distance, or clearly out of the receiver's noise with a
/// reported speed that says the same.
struct MotionDetector: Equatable, Sendable, Codable {
    /// What is known of the movement.
    enum State: Equatable, Sendable, Codable {
        case unknown
        case moving
        case stationary(anchor: Coordinate)
    }

    /// At a speed that the Doppler measurement cannot mistake for noise (its error is about 0.1 to 0.5 m/s)…
    private static let certainSpeedMetersPerSecond = 2.0
    /// …for as many fixes in a row…
    private static let certainSpeedFixes = 3
    /// …and this far out of the noise, movement has begun.
    private static let clearanceMeters = 15.0
    /// Points closer than this in time say nothing new about standing, and would fill the window at 10 Hz.
    private static let pointSpacingSeconds = 0.9
    /// About so many points are enough to judge an interval by, however long it is.
    private static let maximumPointCount = 60.0

    private(set) var state = State.unknown
    private var window: [TrackPoint] = []
    private var fastFixCount = 0

    /// - Parameter state: what was known before.
    init(state: State = .unknown) {
        self.state = state
    }

    var isMoving: Bool { state == .moving }

    /// Whether an anchor holds the parked place.
    var isStationary: Bool { if case .stationary = state { true } else { false } }

    /// The points of the last stationary interval, oldest first.
    var recentPoints: [TrackPoint] { window }

    /// - Returns: whether the state is another one now.
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

    /// Tracking was interrupted: what comes next need not have to do with what was.
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
        // One point beyond the interval is kept, so that the window spans it.
        while window.count > 1, fix.timestamp.seconds(since: window[1].timestamp) >= intervalSeconds {
            window.removeFirst()
        }
        window.append(
            TrackPoint(
                timestamp: fix.timestamp, coordinate: fix.coordinate,
                speedMetersPerSecond: fix.speedMetersPerSecond))
    }
}
