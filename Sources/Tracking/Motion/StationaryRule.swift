import OdographCivilTime
import OdographGeodesy

/// The rule for a stop at the end of a track: within a distance over an interval, below an average speed.
///
/// Source: the Trckr tracker (`StationaryDistance`, `StationaryInterval`, `StationarySpeed`) and its defaults.
public struct StationaryRule: Hashable, Sendable, Codable {
    /// The largest diagonal of the bounding box of the interval's points, metres, > 0.
    public var distanceMeters = 150.0
    /// The length of the interval, seconds, > 0.
    public var intervalSeconds = 120.0
    /// The average speed must be below this, m/s, > 0.
    public var speedMetersPerSecond = 0.85

    /// Creates the default rule.
    public init() {}

    /// Returns the point that represents the stop at the end of a track.
    ///
    /// The function collects points from the newest backwards until they span the interval, and then tests them.
    /// - Parameters:
    ///   - points: the track, oldest first.
    ///   - after: points at or before this instant end the search.
    /// - Returns: the collected point nearest to their mean; nil if the points do not span the interval or are no stop.
    public func stationaryPoint(
        among points: some BidirectionalCollection<TrackPoint>, after: Timestamp? = nil
    ) -> TrackPoint? {
        guard let newest = points.last else { return nil }
        var stand = StationaryEvidence(newest: newest)
        for point in points.reversed() {
            if let after, point.timestamp <= after { return nil }
            stand.add(point)
            if stand.diagonalMeters > distanceMeters { return nil }
            if stand.spanSeconds >= intervalSeconds {
                guard stand.averageSpeedMetersPerSecond < speedMetersPerSecond else { return nil }
                return points.reversed().prefix(stand.count).min {
                    stand.squaredDistanceToMean($0) < stand.squaredDistanceToMean($1)
                }
            }
        }
        return nil
    }
}

/// The statistics of a growing sequence of points, newest first.
private struct StationaryEvidence {
    private let plane: LocalPlane
    private let newest: Timestamp
    private var oldest: Timestamp
    private var low = LocalPoint(eastMeters: 0, northMeters: 0)
    private var high = LocalPoint(eastMeters: 0, northMeters: 0)
    private var sum = LocalPoint(eastMeters: 0, northMeters: 0)
    private var speedSum = 0.0
    private var speedCount = 0
    private(set) var count = 0

    init(newest: TrackPoint) {
        plane = LocalPlane(origin: newest.coordinate)
        self.newest = newest.timestamp
        oldest = newest.timestamp
    }

    var spanSeconds: Double { newest.seconds(since: oldest) }

    var diagonalMeters: Double {
        let east = high.eastMeters - low.eastMeters
        let north = high.northMeters - low.northMeters
        return (east * east + north * north).squareRoot()
    }

    /// The mean of the reported speeds, m/s. Without speeds, a lower bound: the diagonal over the span.
    var averageSpeedMetersPerSecond: Double {
        if speedCount > 0 { return speedSum / Double(speedCount) }
        return spanSeconds > 0 ? diagonalMeters / spanSeconds : 0
    }

    mutating func add(_ point: TrackPoint) {
        let local = plane.eastNorthMeters(of: point.coordinate)
        low = LocalPoint(
            eastMeters: min(low.eastMeters, local.eastMeters), northMeters: min(low.northMeters, local.northMeters))
        high = LocalPoint(
            eastMeters: max(high.eastMeters, local.eastMeters), northMeters: max(high.northMeters, local.northMeters))
        sum = LocalPoint(
            eastMeters: sum.eastMeters + local.eastMeters, northMeters: sum.northMeters + local.northMeters)
        if let speed = point.speedMetersPerSecond {
            speedSum += speed
            speedCount += 1
        }
        oldest = min(oldest, point.timestamp)
        count += 1
    }

    /// Returns the squared distance from a point to the mean of the points, m².
    func squaredDistanceToMean(_ point: TrackPoint) -> Double {
        let local = plane.eastNorthMeters(of: point.coordinate)
        let east = local.eastMeters - sum.eastMeters / Double(count)
        let north = local.northMeters - sum.northMeters / Double(count)
        return east * east + north * north
    }
}
