import CivilTime
import Geodesy
import Tracking
import Wire

extension Agent {
    /// The location that stands for a stand at the end of some locations, if they end in one.
    ///
    /// - Parameters:
    ///   - locations: a track, oldest first.
    ///   - interval: how long the track is looked at, seconds.
    ///   - after: locations at or before this instant are ignored.
    ///   - rule: how far and how fast is still standing; its own interval is not looked at.
    /// - Returns: of the locations of the last `interval` the one next to their centre; nil where they do not span the
    ///   interval, or where the vehicle moved.
    public static func stationary(
        locations: [LocationEvent], interval: Double = StationaryRule().intervalSeconds, after: Timestamp? = nil,
        rule: StationaryRule = StationaryRule()
    ) -> LocationEvent? {
        var rule = rule
        rule.intervalSeconds = interval
        let placed = locations.compactMap { event in TrackPoint(event).map { (event, $0) } }
        guard let point = rule.stationaryPoint(among: placed.map(\.1), after: after) else { return nil }
        return placed.last { $0.1 == point }?.0
    }
}

extension TrackPoint {
    fileprivate init?(_ event: LocationEvent) {
        let coords = event.coords
        guard let coordinate = Coordinate(latitudeDegrees: coords.latitude, longitudeDegrees: coords.longitude) else {
            return nil
        }
        self.init(
            timestamp: event.timestamp, coordinate: coordinate,
            speedMetersPerSecond: coords.speed < 0 ? nil : coords.speed)
    }
}
