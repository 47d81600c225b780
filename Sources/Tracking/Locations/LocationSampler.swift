import OdographCivilTime
import OdographGeodesy
import OdographModel

/// Decides which accepted fixes become location records.
struct LocationSampler: Equatable, Sendable, Codable {
    /// The speed below which a heading is noise, m/s.
    private static let headingSpeedMetersPerSecond = 1.5

    private var last: Fix?
    /// The time of the last location record, by the tracker's clock.
    private(set) var lastRecordTime: Timestamp?

    /// Whether a fix is due as a periodic record.
    func isDue(_ fix: Fix, isMoving: Bool, rule: SamplingRule) -> Bool {
        guard let last else { return true }
        guard isMoving else { return false }
        let seconds = fix.timestamp.seconds(since: last.timestamp)
        guard seconds >= rule.minimumIntervalSeconds else { return false }
        if seconds >= rule.maximumIntervalSeconds { return true }
        if last.coordinate.distanceMeters(to: fix.coordinate) >= rule.distanceMeters { return true }
        if rule.recordsHalts, Self.isHalt(fix, after: last) { return true }
        guard let speed = fix.speedMetersPerSecond, speed >= Self.headingSpeedMetersPerSecond,
            let from = last.headingDegrees, let to = fix.headingDegrees
        else { return false }
        return rule.headingDegrees < 180 && abs(headingDifferenceDegrees(from, to)) >= rule.headingDegrees
    }

    /// Whether the vehicle has halted since the last record. Without a record, the newest one would show it at speed
    /// until the stop is detected.
    private static func isHalt(_ fix: Fix, after last: Fix) -> Bool {
        guard let before = last.speedMetersPerSecond, let speed = fix.speedMetersPerSecond else { return false }
        return before >= headingSpeedMetersPerSecond && speed < MovementBounds.stationaryMetersPerSecond
    }

    /// Whether the last record was made from this fix.
    func hasRecorded(_ fix: Fix) -> Bool { last == fix }

    /// Notes that a location record was made from a fix.
    mutating func markRecorded(_ fix: Fix, at time: Timestamp) {
        last = fix
        lastRecordTime = time
    }

    /// Restarts the intervals after the receiver's clock was corrected backwards.
    mutating func rewind(to time: Timestamp) {
        if let known = lastRecordTime, known > time { lastRecordTime = time }
        if let known = last, known.timestamp > time { last = nil }
    }

    /// Forgets the position of the last record.
    mutating func forgetPositions() {
        last = nil
    }

    /// The shortest time from a record to a heartbeat, seconds: the next one must be at a later time.
    private static let shortestHeartbeatSeconds = 1.0

    /// Returns the time of the next heartbeat; nil for never.
    func heartbeatDue(intervalSeconds: Double) -> Timestamp? {
        guard intervalSeconds > 0 else { return nil }
        return lastRecordTime?.advanced(bySeconds: max(intervalSeconds, Self.shortestHeartbeatSeconds))
    }
}
