import OdographCivilTime
import OdographGeodesy
import OdographModel

/// Detects a receiver or logger that is frozen: it repeats an old position while its speed says that the vehicle moves.
///
/// Such a fix proves nothing about the place, however long it lasts, so it is no fix for the odometer and the timeline.
struct FrozenFixDetector: Equatable, Sendable, Codable {
    /// The speed from which a repeated position is a frozen fix, m/s: 1 m/s changes it by 0.00001° a second.
    private static let movingMetersPerSecond = 1.0
    /// The age from which a repeated speed is stale, seconds.
    private static let staleSpeedSeconds = 2.0
    /// The distance by the speeds from which a position that differs in its last digit is a frozen one, in steps of
    /// that digit.
    private static let reportedSteps = 10.0

    /// The time for which a vehicle has stood, seconds, if its position repeats because it drives off only now.
    private static let standSeconds = 60.0

    /// The newest fix, and the time of the first one with its position.
    private var newest: Fix?
    private var since: Timestamp?
    /// The last time at which the receiver said that the vehicle stands, or gave a new position.
    private var heldSince: Timestamp?
    /// The first position of those that differ in their last digit only, and the distance by the speeds since, metres.
    private var place: Coordinate?
    private var reportedMeters = 0.0
    private var isFrozen = false

    init() {}

    /// The time for which the receiver has repeated its position at the speed of a movement, seconds; nil if it does
    /// not.
    var frozenSeconds: Double? {
        guard isFrozen, let heldSince, let newest else { return nil }
        return newest.timestamp.seconds(since: heldSince)
    }

    /// Takes the next fix.
    /// - Returns: the fix, without its speed if that is stale; nil if it only repeats a position.
    mutating func filter(_ fix: Fix) -> Fix? {
        let isMoving = (fix.speedMetersPerSecond ?? 0) >= Self.movingMetersPerSecond
        let hasStood = since.map { fix.timestamp.seconds(since: $0) > Self.standSeconds } ?? false
        // A vehicle that drives off is still where it stood.
        let drivesOff =
            isMoving && !isFrozen && hasStood && (newest?.speedMetersPerSecond ?? 0) < Self.movingMetersPerSecond
        let isHeld = notePlace(of: fix, isMoving: isMoving) || fix.coordinate == newest?.coordinate
        if fix.coordinate != newest?.coordinate { since = fix.timestamp }
        newest = fix
        if isHeld, drivesOff {
            heldSince = fix.timestamp
            return fix.withoutSpeed
        }
        guard isHeld, isMoving else {
            let isStale =
                !isHeld && isFrozen && (heldSince.map(fix.timestamp.seconds(since:)) ?? 0) > Self.staleSpeedSeconds
            (heldSince, isFrozen) = (fix.timestamp, false)
            return isStale ? fix.withoutSpeed : fix
        }
        isFrozen = true
        return nil
    }

    /// Adds the distance by the speed while positions differ in their last digit only.
    /// - Returns: whether it is so much longer than that digit that the receiver repeats a position.
    private mutating func notePlace(of fix: Fix, isMoving: Bool) -> Bool {
        guard let place, let newest, isMoving, fix.coordinate.repeats(place) else {
            (place, reportedMeters) = (fix.coordinate, 0)
            return false
        }
        reportedMeters += (fix.speedMetersPerSecond ?? 0) * max(fix.timestamp.seconds(since: newest.timestamp), 0)
        return reportedMeters >= Self.reportedSteps * fix.coordinate.stepMeters(with: place)
    }
}

extension Fix {
    /// The same fix without speed and heading.
    var withoutSpeed: Fix {
        var copy = self
        copy.speedMetersPerSecond = nil
        copy.headingDegrees = nil
        return copy
    }
}
