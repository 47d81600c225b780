import CivilTime
import Geodesy

/// Decides which accepted fixes become location records.
struct LocationSampler: Equatable, Sendable, Codable {
    /// Below this speed a heading is the receiver's noise, m/s.
    private static let headingSpeedMetersPerSecond = 1.5

    private var last: Fix?
    /// When the last location record was made, by the tracker's clock.
    private(set) var lastRecordTime: Timestamp?

    /// Whether a fix is due as a plain record.
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

    /// Whether it has come to a halt since a record: whoever looks at the newest one would see it drive on at its speed until
    /// it is known to stand.
    private static func isHalt(_ fix: Fix, after last: Fix) -> Bool {
        guard let before = last.speedMetersPerSecond, let speed = fix.speedMetersPerSecond else { return false }
        return before >= headingSpeedMetersPerSecond && speed < Odometer.stationaryMetersPerSecond
    }

    /// Whether the newest record was made of this fix.
    func hasRecorded(_ fix: Fix) -> Bool { last == fix }

    /// A location record was made of this fix.
    mutating func markRecorded(_ fix: Fix, at time: Timestamp) {
        last = fix
        lastRecordTime = time
    }

    /// The receiver's clock was found to be an earlier one: intervals begin anew.
    mutating func rewind(to time: Timestamp) {
        if let known = lastRecordTime, known > time { lastRecordTime = time }
        if let known = last, known.timestamp > time { last = nil }
    }

    /// Forgets where the last record was made.
    mutating func forgetPositions() {
        last = nil
    }

    /// When the next heartbeat falls due; nil for never.
    func heartbeatDue(intervalSeconds: Double) -> Timestamp? {
        guard intervalSeconds > 0 else { return nil }
        return lastRecordTime?.advanced(bySeconds: intervalSeconds)
    }
}
