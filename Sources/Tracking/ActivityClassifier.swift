import CivilTime
import Geodesy

/// Tells the kind of movement from the speed over the last while.
struct ActivityClassifier: Hashable, Sendable, Codable {
    /// Smoothed speed, m/s.
    private var speedMetersPerSecond: Double?
    private var last: Timestamp?
    private var previous: Fix?
    /// The time over which speed is smoothed, seconds: longer than a stop at a crossing's edge, shorter than a walk to
    /// the car.
    private static let memorySeconds = 15.0

    /// What the movement is taken for after the fixes so far.
    private(set) var activity = Activity.unknown

    mutating func update(with fix: Fix, isMoving: Bool) {
        let speed = fix.speedMetersPerSecond ?? impliedSpeed(of: fix)
        defer {
            last = fix.timestamp
            previous = fix
        }
        guard let speed else { return }
        let elapsed = last.map { max(fix.timestamp.seconds(since: $0), 0) } ?? .infinity
        let weight = elapsed / (elapsed + Self.memorySeconds)
        let smoothed = elapsed.isFinite ? (speedMetersPerSecond ?? speed) * (1 - weight) + speed * weight : speed
        speedMetersPerSecond = smoothed
        activity = Self.activity(atSpeed: smoothed, isMoving: isMoving)
    }

    private func impliedSpeed(of fix: Fix) -> Double? {
        guard let previous else { return nil }
        let seconds = fix.timestamp.seconds(since: previous.timestamp)
        guard seconds >= 1 else { return nil }
        return previous.coordinate.distanceMeters(to: fix.coordinate) / seconds
    }

    /// Bohannon (2011): people walk at 1.2 to 1.5 m/s, hardly over 2; recreational runners at 2.5 to 3.5 m/s; city
    /// cyclists at 4 to 6 m/s. Above 8 m/s it is a vehicle.
    private static func activity(atSpeed speed: Double, isMoving: Bool) -> Activity {
        if !isMoving && speed < 0.85 { return Activity(kind: .still, confidencePercent: 90) }
        switch speed {
        case ..<0.5: return Activity(kind: .still, confidencePercent: 60)
        case ..<2.2: return Activity(kind: .walking, confidencePercent: 60)
        case ..<4.0: return Activity(kind: .running, confidencePercent: 30)
        case ..<8.0: return Activity(kind: .onBicycle, confidencePercent: 35)
        default: return Activity(kind: .inVehicle, confidencePercent: 90)
        }
    }
}
