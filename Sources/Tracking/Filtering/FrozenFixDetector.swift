import OdographCivilTime
import OdographGeodesy
import OdographModel

/// Detects a receiver or logger that freezes: it repeats an old position and speed while the vehicle moves.
struct FrozenFixDetector: Equatable, Sendable, Codable {
    /// The speed from which an identical position is a frozen fix, m/s: 1 m/s changes it by 0.00001° a second.
    private static let movingMetersPerSecond = 1.0
    /// The time after which an identical position means a stationary vehicle, whatever its speed says, seconds.
    private static let maximumFreezeSeconds = 60.0
    /// The age from which a repeated speed is stale, seconds.
    private static let staleSpeedSeconds = 2.0

    private var coordinate: Coordinate?
    private var since: Timestamp?
    private var hasHeld = false

    /// Takes the next fix.
    /// - Returns: the fix, without its speed if that is stale; nil if it only repeats a position.
    mutating func filter(_ fix: Fix) -> Fix? {
        guard fix.coordinate == coordinate, let since else {
            defer {
                coordinate = fix.coordinate
                since = fix.timestamp
                hasHeld = false
            }
            return isSpeedStale(at: fix.timestamp) ? fix.withoutSpeed : fix
        }
        guard let speed = fix.speedMetersPerSecond, speed >= Self.movingMetersPerSecond else { return fix }
        hasHeld = true
        return fix.timestamp.seconds(since: since) > Self.maximumFreezeSeconds ? fix.withoutSpeed : nil
    }

    private func isSpeedStale(at time: Timestamp) -> Bool {
        guard hasHeld, let since else { return false }
        return time.seconds(since: since) > Self.staleSpeedSeconds
    }
}

extension Fix {
    /// The same fix without speed and heading.
    fileprivate var withoutSpeed: Fix {
        var copy = self
        copy.speedMetersPerSecond = nil
        copy.headingDegrees = nil
        return copy
    }
}
