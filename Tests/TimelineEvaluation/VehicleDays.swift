import OdographCivilTime
import OdographHarness
import OdographModel
import OdographTracking

/// Simulated days of a vehicle, each as a ``VehicleDay``.
struct VehicleDays {
    private static let days = 12 as UInt64

    func report() {
        for seconds in [1.0, 10] {
            report(everySeconds: seconds, aboard: nil)
            report(everySeconds: seconds, aboard: .car)
        }
    }

    private func report(everySeconds seconds: Double, aboard vehicle: TransportMode?) {
        var boundaries = TripBoundaries()
        for seed in 1...Self.days {
            let day = VehicleDay(seed: seed, everySeconds: seconds)
            let trips = day.trips.map { Span(start: $0.lowerBound, end: $0.upperBound) }
            boundaries.add(Outcome(Capture(fixes: day.fixes), aboard: vehicle), trips: trips)
        }
        let name = vehicle == nil ? "vehicle days" : "vehicle days, mounted"
        boundaries.report("\(name), a fix in \(text(seconds, 0)) s")
    }
}
