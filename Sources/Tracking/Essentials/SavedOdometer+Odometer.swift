import Geodesy

extension SavedOdometer {
    init(_ odometer: Odometer) {
        let errors = odometer.standardErrors
        self.init(
            meters: odometer.meters, totalMeters: odometer.totalMeters, randomMeters: errors.randomMeters,
            scaleMeters: errors.scaleMeters, detourMeters: errors.detourMeters,
            standing: odometer.standingCenter.map { SavedPlace($0.coordinate) })
    }

    /// The odometer as it goes on.
    /// - Parameter last: the last fix that was counted; nil where none may be known.
    func odometer(after last: Fix?) -> Odometer {
        var odometer = Odometer(
            meters: meters, totalMeters: totalMeters, randomMeters: randomMeters, scaleMeters: scaleMeters,
            detourMeters: detourMeters, last: standing == nil ? last : nil)
        if let place = standing?.coordinate, var last {
            last.coordinate = place
            odometer.advance(to: last)
        }
        return odometer
    }
}
