import OdographCivilTime
import OdographGeodesy
import OdographModel

/// Decides whether the vehicle moves.
///
/// The vehicle stops according to ``StationaryRule``. An anchor then holds the parked position. Movement begins when a
/// fix is farther from the anchor than the rule's distance, or clearly outside the noise with a speed that confirms it.
struct MotionDetector: Equatable, Sendable, Codable {
    /// The known state of the movement.
    enum State: Equatable, Sendable, Codable {
        case unknown
        case moving
        case stationary(anchor: Coordinate)
    }

    /// The speed, m/s, that a Doppler measurement (error about 0.1 to 0.5 m/s) cannot report because of noise alone.
    private static let certainSpeedMetersPerSecond = 2.0
    /// The number of consecutive fixes that must reach that speed before movement begins.
    private static let certainSpeedFixes = 3
    /// The distance beyond the noise that such fixes must reach before movement begins, metres.
    private static let clearanceMeters = 15.0
    /// The minimum spacing of points, seconds. Closer points add no information and would fill the window at 10 Hz.
    private static let pointSpacingSeconds = 0.9
    /// The approximate number of points in an interval; more points do not improve the decision.
    private static let maximumPointCount = 60.0

    private(set) var state = State.unknown
    private var window: [TrackPoint] = []
    private var fastFixCount = 0

    init() {}

    var isMoving: Bool { state == .moving }

    /// Whether the vehicle is stationary.
    var isStationary: Bool { if case .stationary = state { true } else { false } }

    /// Takes a fix.
    /// - Parameter isStanding: whether the wheels stand: then the positions of a parked vehicle drift.
    /// - Returns: whether the state changed.
    mutating func update(with fix: Fix, rule: StationaryRule, isStanding: Bool = false) -> Bool {
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
            return !isStanding && detectDeparture(fix, from: anchor, rule: rule)
        }
    }

    /// Begins a movement that the vehicle itself reports.
    mutating func depart() {
        state = .moving
        interrupt()
    }

    /// Begins a stop that the vehicle itself reports.
    mutating func park(at place: Coordinate) {
        state = .stationary(anchor: place)
        fastFixCount = 0
    }

    /// Forgets the recent points: after an interruption, the next fix need not follow from them.
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
