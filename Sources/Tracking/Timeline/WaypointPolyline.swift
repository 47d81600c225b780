import CivilTime
import Geodesy
import OdographModel

/// The way of a transport event, simplified as it grows, so that its state is bounded however long the drive is.
struct WaypointPolyline: Equatable, Sendable, Codable {
    /// So many new points are gathered before the line is simplified again.
    private static let batchSize = 60
    /// Where a way may turn out to begin or end, points are no farther apart than epochs: ends are told to one, seconds.
    private static let spacingSeconds = MotionWindowBuilder.minimumLengthSeconds

    private(set) var points: [TimelineWaypoint]
    /// So many points at the front are simplified already.
    private(set) var simplifiedCount: Int

    init(points: [TimelineWaypoint] = [], settled: Int = 0) {
        self.points = points
        self.simplifiedCount = min(max(settled, 0), points.count)
    }

    /// - Parameters:
    ///   - rule: what the line is held to.
    ///   - recentSeconds: as far back an end of the way may still be found, seconds.
    mutating func append(_ fix: Fix, rule: TimelineRule, recentSeconds: Double) {
        points.append(
            TimelineWaypoint(
                coordinate: fix.coordinate, accuracyMeters: fix.accuracyMeters, timestamp: fix.timestamp,
                speedMetersPerSecond: fix.speedMetersPerSecond))
        guard points.count >= simplifiedCount + Self.batchSize else { return }
        let recent = fix.timestamp.advanced(bySeconds: -recentSeconds)
        let parting = points.firstIndex { $0.timestamp >= recent } ?? points.count
        // Half of the tolerance here and half at the end: two simplifications in a row add their errors.
        let tolerance = rule.waypointToleranceMeters / 2
        points =
            Self.simplified(points[..<parting], tolerance: tolerance, count: rule.maximumWaypoints)
            + Self.simplifiedByWindow(points[parting...], tolerance: tolerance)
        simplifiedCount = points.count
    }

    /// The same at rest, where a point an epoch is enough: a way may turn out to have begun there.
    mutating func appendWhileStationary(_ fix: Fix, rule: TimelineRule, recentSeconds: Double) {
        if let last = points.last, fix.timestamp.seconds(since: last.timestamp) < Self.spacingSeconds { return }
        append(fix, rule: rule, recentSeconds: recentSeconds)
    }

    /// The line between two instants, within the rule's bounds.
    func waypoints(from start: Timestamp, to end: Timestamp, rule: TimelineRule) -> [TimelineWaypoint] {
        let part = points.filter { $0.timestamp >= start && $0.timestamp <= end }
        return Self.simplified(
            part[...], tolerance: rule.waypointToleranceMeters / (simplifiedCount > 0 ? 2 : 1),
            count: rule.maximumWaypoints)
    }

    /// This line and then another, of which nothing before its end counts.
    func appending(_ other: WaypointPolyline) -> WaypointPolyline {
        let end = points.last?.timestamp
        let rest = other.points.filter { point in end.map { point.timestamp > $0 } ?? true }
        return WaypointPolyline(
            points: points + rest, settled: other.simplifiedCount > 0 ? points.count + rest.count : simplifiedCount)
    }

    /// Forgets what is before an instant.
    mutating func removePoints(before start: Timestamp) {
        points.removeAll { $0.timestamp < start }
        simplifiedCount = min(simplifiedCount, points.count)
    }

    /// Simplified so that a point an epoch stays: an end of the way that is found among them has its point.
    private static func simplifiedByWindow(_ points: ArraySlice<TimelineWaypoint>, tolerance: Double)
        -> [TimelineWaypoint]
    {
        var kept: [TimelineWaypoint] = []
        var part: [TimelineWaypoint] = []
        for point in points {
            part.append(point)
            guard point.timestamp.seconds(since: part[0].timestamp) >= spacingSeconds else { continue }
            kept += simplified(part[...], tolerance: tolerance, count: part.count).dropLast()
            part = [point]
        }
        return kept + simplified(part[...], tolerance: tolerance, count: part.count)
    }

    private static func simplified(
        _ points: ArraySlice<TimelineWaypoint>, tolerance: Double, count: Int
    ) -> [TimelineWaypoint] {
        Geodesy.simplified(points.map(\.coordinate), toleranceMeters: tolerance, maximumCount: max(count, 2))
            .map { points[points.startIndex + $0] }
    }
}
