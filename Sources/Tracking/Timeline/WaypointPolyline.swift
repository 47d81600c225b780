import OdographCivilTime
import OdographGeodesy
import OdographModel

/// The line of a trip. It is simplified while it grows, so that its size is bounded however long the trip is.
struct WaypointPolyline: Equatable, Sendable, Codable {
    /// The number of new points after which the line is simplified again.
    private static let batchSize = 60
    /// The longest time between points where a trip may turn out to begin or end, seconds: one window.
    private static let spacingSeconds = MotionWindowBuilder.minimumLengthSeconds

    private(set) var points: [TimelineWaypoint]
    /// The number of points at the front that are simplified already.
    private(set) var simplifiedCount: Int

    init(points: [TimelineWaypoint] = [], settled: Int = 0) {
        self.points = points
        self.simplifiedCount = min(max(settled, 0), points.count)
    }

    /// Adds a position.
    /// - Parameter recentSeconds: The age up to which a point may turn out to be an end of the trip, seconds.
    mutating func append(_ fix: Fix, rule: TimelineRule, recentSeconds: Double) {
        points.append(
            TimelineWaypoint(
                coordinate: fix.coordinate, accuracyMeters: fix.accuracyMeters, timestamp: fix.timestamp,
                speedMetersPerSecond: fix.speedMetersPerSecond))
        guard points.count >= simplifiedCount + Self.batchSize else { return }
        let recent = fix.timestamp.advanced(bySeconds: -recentSeconds)
        let parting = points.firstIndex { $0.timestamp >= recent } ?? points.count
        // Half of the tolerance here and half at the end, because the errors of two simplifications add up.
        let tolerance = rule.waypointToleranceMeters / 2
        points =
            Self.simplified(points[..<parting], tolerance: tolerance, count: rule.maximumWaypoints)
            + Self.simplifiedByWindow(points[parting...], tolerance: tolerance)
        simplifiedCount = points.count
    }

    /// Adds a position at rest. One point a window is enough there.
    mutating func appendWhileStationary(_ fix: Fix, rule: TimelineRule, recentSeconds: Double) {
        if let last = points.last, fix.timestamp.seconds(since: last.timestamp) < Self.spacingSeconds { return }
        append(fix, rule: rule, recentSeconds: recentSeconds)
    }

    /// Returns the line between two times, within the bounds of a rule.
    func waypoints(from start: Timestamp, to end: Timestamp, rule: TimelineRule) -> [TimelineWaypoint] {
        let part = points.filter { $0.timestamp >= start && $0.timestamp <= end }
        return Self.simplified(
            part[...], tolerance: rule.waypointToleranceMeters / (simplifiedCount > 0 ? 2 : 1),
            count: rule.maximumWaypoints)
    }

    /// Returns this line and the part of another after its end.
    func appending(_ other: WaypointPolyline) -> WaypointPolyline {
        let end = points.last?.timestamp
        let rest = other.points.filter { point in end.map { point.timestamp > $0 } ?? true }
        return WaypointPolyline(
            points: points + rest, settled: other.simplifiedCount > 0 ? points.count + rest.count : simplifiedCount)
    }

    /// Removes the points before a time.
    mutating func removePoints(before start: Timestamp) {
        points.removeAll { $0.timestamp < start }
        simplifiedCount = min(simplifiedCount, points.count)
    }

    /// Removes the points from a time on.
    mutating func removePoints(from end: Timestamp) {
        points.removeAll { $0.timestamp >= end }
        simplifiedCount = min(simplifiedCount, points.count)
    }

    /// Returns points simplified so that each window keeps one: an end of the trip that is found there has its point.
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
        OdographGeodesy.simplified(points.map(\.coordinate), toleranceMeters: tolerance, maximumCount: max(count, 2))
            .map { points[points.startIndex + $0] }
    }
}
