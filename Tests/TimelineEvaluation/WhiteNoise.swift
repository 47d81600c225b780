import OdographCivilTime
import OdographGeodesy
import OdographHarness
import OdographModel

/// Positions without speeds whose errors are independent, or correlated over seconds, on straight roads, on a walk and
/// on the simulated roads.
struct WhiteNoise {
    private static let runs = 30 as UInt64

    func report() {
        for tellsAccuracy in [true, false] {
            for (name, speed) in [("walk", 1.4), ("12 m/s", 12.0), ("30 m/s", 30.0)] {
                for deviation in [0.5, 2, 4, 5] { report(name, speed, deviation, tellsAccuracy: tellsAccuracy) }
                report(name, speed, 3, memorySeconds: 5, tellsAccuracy: tellsAccuracy)
            }
            for road in SimulatedRoad.allCases {
                for deviation in [0, 2, 5.0] { report(road, deviation, tellsAccuracy) }
            }
        }
    }

    private func report(
        _ name: String, _ speed: Double, _ deviation: Double, memorySeconds: Double = 0, tellsAccuracy: Bool
    ) {
        let (watch, naives) = result(speed, deviation, memorySeconds: memorySeconds, tellsAccuracy: tellsAccuracy)
        row(
            "noise \(text(deviation, 1)) m\(memorySeconds > 0 ? " for 5 s" : ""), \(name)"
                + (tellsAccuracy ? "" : ", no accuracy"),
            "\(text(100 * watch.meanError)) % ± \(text(100 * watch.medianBound)) %; "
                + "\(watch.endsInside) of \(watch.ends.count)",
            naive: "\(text(100 * naives.mean)) %", bar: "2 %, 95 %")
    }

    /// Returns the odometer of runs along a nearly straight line, and the excess of the line through their positions.
    /// - Parameters:
    ///   - speed: The vehicle's speed, m/s.
    ///   - deviation: The standard deviation of an axis, metres.
    ///   - memorySeconds: The time constant of the error's decay, seconds; 0: the errors of fixes are independent.
    func result(
        _ speed: Double, _ deviation: Double, memorySeconds memory: Double = 0, tellsAccuracy: Bool
    ) -> (OdometerWatch, naives: [Double]) {
        var watch = OdometerWatch()
        var naives: [Double] = []
        guard let start = Coordinate(latitudeDegrees: 48.2, longitudeDegrees: 16.37) else { return (watch, naives) }
        for seed in 1...Self.runs {
            var random = SplitMix64(seed: seed)
            var fixes: [Fix] = []
            var truths: [Double] = []
            var place = start
            var heading = 90.0
            var error = random.scatter(deviation)
            for second in 0..<900 {
                let time = Timestamp(millisecondsSinceEpoch: 1_795_255_200_000).advanced(bySeconds: Double(second))
                error =
                    memory > 0
                    ? random.wandered(from: error, seconds: 1, memorySeconds: memory, deviation: deviation)
                    : random.scatter(deviation)
                fixes.append(
                    Fix(
                        timestamp: time, received: ClockReading(replayed: time),
                        coordinate: LocalPlane(origin: place).coordinate(of: error),
                        accuracyMeters: tellsAccuracy ? 2.45 * deviation : nil))
                truths.append(speed * Double(second))
                heading += random.normal() * 10 / speed.squareRoot() * 0.3
                place = place.destination(headingDegrees: heading, distanceMeters: speed)
            }
            watch.add(fixes, truths: truths)
            naives.append(Capture(fixes: fixes).lineMeters / (truths.last ?? 1) - 1)
        }
        return (watch, naives)
    }

    private func report(_ road: SimulatedRoad, _ deviation: Double, _ tellsAccuracy: Bool) {
        guard let start = Coordinate(latitudeDegrees: 48.2, longitudeDegrees: 16.37) else { return }
        var watch = OdometerWatch()
        for seed in 101...110 as ClosedRange<UInt64> {
            var random = SplitMix64(seed: seed)
            let drive = RoadDrive(on: road, seed: seed, seconds: 900, from: start)
            let fixes = drive.fixes(everySeconds: 1).map { fix in
                var copy = fix
                copy.speedMetersPerSecond = nil
                copy.headingDegrees = nil
                copy.coordinate = LocalPlane(origin: fix.coordinate).coordinate(of: random.scatter(deviation))
                copy.accuracyMeters = tellsAccuracy ? (fix.accuracyMeters ?? 0) + 2.45 * deviation : nil
                return copy
            }
            watch.add(fixes, truths: drive.sights(everySeconds: 1).map(\.trueMeters))
        }
        row(
            "noise \(text(deviation, 1)) m, \(road.rawValue)\(tellsAccuracy ? "" : ", no accuracy")",
            "\(text(100 * watch.meanError)) % ± \(text(100 * watch.medianBound)) %; "
                + "\(watch.endsInside) of \(watch.ends.count)", bar: "2 %, 95 %")
    }
}
