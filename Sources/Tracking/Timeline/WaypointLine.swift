import CivilTime
import Geodesy

/// The way of a transport event, simplified as it grows, so that its state is bounded however long the drive is.
struct WaypointLine: Hashable, Sendable, Codable {
    /// So many new points are gathered before the line is simplified again.
    private static let batch = 60

    private(set) var points: [TimelineWaypoint]
    /// So many points at the front are simplified already.
    private(set) var settled: Int

    init(points: [TimelineWaypoint] = [], settled: Int = 0) {
        self.points = points
        self.settled = min(max(settled, 0), points.count)
    }

    mutating func append(_ fix: Fix, rule: TimelineRule) {
        points.append(
            TimelineWaypoint(
                coordinate: fix.coordinate, accuracyMeters: fix.accuracyMeters, timestamp: fix.timestamp,
                speedMetersPerSecond: fix.speedMetersPerSecond))
        guard points.count >= settled + Self.batch else { return }
        // Half of the tolerance here and half at the end: two simplifications in a row add their errors.
        points = Self.simplified(points, tolerance: rule.waypointToleranceMeters / 2, count: rule.maximumWaypoints)
        settled = points.count
    }

    /// The line between two instants, within the rule's bounds.
    func line(from start: Timestamp, to end: Timestamp, rule: TimelineRule) -> [TimelineWaypoint] {
        let part = points.filter { $0.timestamp >= start && $0.timestamp <= end }
        return Self.simplified(
            part, tolerance: rule.waypointToleranceMeters / (settled > 0 ? 2 : 1), count: rule.maximumWaypoints)
    }

    /// Forgets all but the newest points.
    mutating func keepLast(_ count: Int) {
        guard points.count > count else { return }
        points.removeFirst(points.count - count)
        settled = min(settled, count)
    }

    /// Forgets what is before an instant.
    mutating func cut(before start: Timestamp) {
        points.removeAll { $0.timestamp < start }
        settled = min(settled, points.count)
    }

    private static func simplified(
        _ points: [TimelineWaypoint], tolerance: Double, count: Int
    ) -> [TimelineWaypoint] {
        Geodesy.simplified(points.map(\.coordinate), toleranceMeters: tolerance, maximumCount: max(count, 2))
            .map { points[$0] }
    }
}
