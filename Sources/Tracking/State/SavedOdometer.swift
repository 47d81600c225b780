import Geodesy

/// The odometer: metres, and errors as standard errors in metres.
struct SavedOdometer: Equatable, Sendable, Codable {
    /// What it shows.
    var meters: Double
    /// The distance since the tracker began, whatever it was set to meanwhile.
    var totalMeters: Double
    /// What errs by chance in every leg…
    var randomMeters: Double
    /// …alike in every leg…
    var scaleMeters: Double
    /// …and because ways are longer than lines.
    var detourMeters: Double
    /// Where it takes the vehicle to stand.
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

    /// The odometer as it goes on.
    /// - Parameter last: the last fix that was counted; nil where none may be known.
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
