import CivilTime
import Geodesy

/// Finds the fixes of a receiver, or of a logger, that holds a position and repeats it every second while the vehicle
/// moves on; the speed it repeats beside it is as old.
struct FrozenFixDetector: Equatable, Sendable, Codable {
    /// A position that is repeated to the last digit while the speed says this or more was held: at 1 m/s a second is a
    /// hundred thousandth of a degree.
    private static let movingMetersPerSecond = 1.0
    /// Whatever the repeated speed says, a vehicle whose position has not changed for so long stands.
    private static let maximumFreezeSeconds = 60.0
    /// A speed that was repeated for this long is not one of now.
    private static let staleSpeedSeconds = 2.0

    private var coordinate: Coordinate?
    private var since: Timestamp?
    private var hasHeld = false

    /// - Returns: the fix as the way and the movement may be told from it, its speed left out where it is stale; nil
    ///   where it only repeats a position.
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
    /// The same position without what was said of the movement.
    fileprivate var withoutSpeed: Fix {
        var copy = self
        copy.speedMetersPerSecond = nil
        copy.headingDegrees = nil
        return copy
    }
}
