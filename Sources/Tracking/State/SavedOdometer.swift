import OdographGeodesy
import OdographModel

/// The odometer in a saved state: metres, and standard errors in metres.
struct SavedOdometer: Equatable, Sendable, Codable {
    /// The odometer reading.
    var meters: Double
    /// The distance since the tracker began; setting the odometer does not change it.
    var totalMeters: Double
    /// The random error of the segments.
    var randomMeters: Double
    /// The error that is common to all segments.
    var scaleMeters: Double
    /// The error from road detours.
    var detourMeters: Double
    /// The centre of the current stop.
    var standing: SavedCoordinate?

    private enum CodingKeys: String, CodingKey {
        case meters
        case totalMeters = "total"
        case randomMeters = "random_error"
        case scaleMeters = "scale_error"
        case detourMeters = "detour_error"
        case standing
    }
}

extension SavedOdometer {
    init(_ odometer: Odometer) {
        let errors = odometer.standardErrors
        self.init(
            meters: odometer.meters, totalMeters: odometer.totalMeters, randomMeters: errors.randomMeters,
            scaleMeters: errors.scaleMeters, detourMeters: errors.detourMeters,
            standing: odometer.stationaryCenter.map { SavedCoordinate($0.coordinate) })
    }

    /// Creates an odometer that continues from the saved values.
    /// - Parameter last: the last counted fix; nil if it must be forgotten.
    func odometer(after last: Fix?) -> Odometer {
        func distance(_ value: Double) -> Double { ValidRange.distance.clamped(value) ?? 0 }
        var odometer = Odometer(
            meters: distance(meters), totalMeters: distance(totalMeters), randomMeters: distance(randomMeters),
            scaleMeters: distance(scaleMeters), detourMeters: distance(detourMeters), last: standing == nil ? last : nil
        )
        if let place = standing?.coordinate, var last {
            last.coordinate = place
            odometer.advance(to: last)
        }
        return odometer
    }
}
