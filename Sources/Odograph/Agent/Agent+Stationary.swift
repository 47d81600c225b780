import OdographCivilTime
import OdographGeodesy
import OdographTracking
import OdographWire

extension Agent {
    /// Returns the location that represents the stop at the end of a track.
    ///
    /// - Parameters:
    ///   - locations: The track, oldest first.
    ///   - intervalSeconds: The length of the track's end that is examined. nil: that of the rule.
    ///   - after: Locations at or before this instant are ignored.
    ///   - rule: The limits of distance and speed of a stop.
    /// - Returns: The location of the last `intervalSeconds` nearest to the centre of that interval's locations. nil if
    ///   the locations do not span the interval, or if the vehicle moved.
    public static func stationaryLocation(
        among locations: [LocationEvent], intervalSeconds: Double? = nil, after: Timestamp? = nil,
        rule: StationaryRule = StationaryRule()
    ) -> LocationEvent? {
        var rule = rule
        if let intervalSeconds { rule.intervalSeconds = intervalSeconds }
        let placed = locations.compactMap { event in TrackPoint(event).map { (event, $0) } }
        guard let point = rule.stationaryPoint(among: placed.map(\.1), after: after) else { return nil }
        return placed.last { $0.1 == point }?.0
    }

    /// Returns the location that represents the current stop: of ``recentLocations``, by the rule in force.
    /// - Parameters:
    ///   - intervalSeconds: The length of the track's end that is examined. nil, or longer: the stationary interval.
    ///   - after: Locations at or before this instant are ignored.
    /// - Returns: nil if the vehicle moved, if too few locations are known, and while ``recentLocations`` is empty.
    public func stationaryLocation(intervalSeconds: Double? = nil, after: Timestamp? = nil) async -> LocationEvent? {
        let rule = await trackingSettings.core.stationary
        return Self.stationaryLocation(
            among: await recentLocations, intervalSeconds: intervalSeconds.map { min($0, rule.intervalSeconds) },
            after: after, rule: rule)
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
