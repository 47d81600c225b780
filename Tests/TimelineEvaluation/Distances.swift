import FoundationEssentials
import OdographCivilTime
import OdographGeodesy
import OdographModel
import OdographTracking

/// The odometer against the speed of the vehicle's own bus.
struct Distances {
    private let folder: String

    init(folder: String) throws {
        self.folder = folder
    }

    func report() throws {
        // A bus speed is accurate to ±4 %.
        var cars = Coverage("electric car", truthError: 0.04)
        for name in ["rsk_T3_04_22_2021_1", "rsk_T3_06_07_2021"] {
            let truth =
                try table(ofFile: folder + "truth/\(name)_can_speed.csv")
                .compactMap { $0["can_speed_kmh"].flatMap(Double.init) }.reduce(0, +) / 3.6
            report(
                name, capture: try Capture(path: folder + "\(name).gpsd.jsonl"), truth: truth, bar: "±7 %", into: &cars)
        }
        cars.report()
        try comma()
        try phones()
    }

    private func report(_ name: String, capture: Capture, truth: Double, bar: String, into coverage: inout Coverage) {
        let result = DistanceResult(of: capture, truth: truth)
        coverage.add(result)
        row("odometer \(name)", result.percentages, naive: "\(text(result.naive * 100)) %", bar: bar)
        let noisy = DistanceResult(of: Perturbation.whiteNoise.applied(to: capture, seed: 1), truth: truth)
        row("  \(Perturbation.whiteNoise.name)", noisy.percentages, naive: "\(text(noisy.naive * 100)) %", bar: bar)
    }

    private func comma() throws {
        let capture = try Capture(path: folder + "comma_ublox_10hz.gpsd.jsonl")
        let truth = try BusSpeed(path: folder + "truth/comma_can_speed.csv").meters(during: capture.fixes)
        var coverage = Coverage("10 Hz")
        report("comma at 10 Hz", capture: capture, truth: truth, bar: "0.4 %", into: &coverage)
        // No path is shorter than the line between its ends: the bus is wrong by at least the difference.
        if let first = capture.fixes.first, let last = capture.fixes.last {
            let line = first.coordinate.distanceMeters(to: last.coordinate)
            row("  the straight line from its first fix to its last", "\(text((line / truth - 1) * 100)) %", bar: "")
        }
        coverage.report()
    }

    /// The possible deviation from the route, as a ratio to it: the lines of the phones at a fix each 5 s and each 10
    /// s, which are on both sides of it, are within 1.5 % of its length.
    private static let routeError = 0.015

    /// Reports the trips of the phones by car and by bicycle, with fewer fixes, against the length of the planned
    /// route. Between two instants the length is distributed by the phones' own speeds, which are accurate enough for
    /// that; their sum is wrong by up to 5 %. Each trip is sampled from every second on, because the error depends on
    /// the sampled instants.
    private func phones() throws {
        let epoch = Timestamp(millisecondsSinceEpoch: 0)
        let intervals = [1.0, 10, 30, 60]
        var coverages = intervals.map { Coverage("phones, a fix in \(Int($0)) s", truthError: Self.routeError) }
        let routes = try table(ofFile: folder + "truth/car_bike_sections.csv").compactMap { row in
            row["reference_route_m"].flatMap(Double.init).flatMap { meters in
                row["start_ts"].flatMap(Double.init).flatMap { start in
                    row["end_ts"].flatMap(Double.init).map { (start: start, end: $0, meters: meters) }
                }
            }
        }
        for name in try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
        where name.hasPrefix("unimodal") {
            let whole = try Capture(path: folder + name)
            for route in routes {
                let leg = whole.between(
                    epoch.advanced(bySeconds: route.start), epoch.advanced(bySeconds: route.end))
                let scale = route.meters / leg.speedMeters
                for (index, interval) in intervals.enumerated() {
                    let trip = "\(Int(interval)) s, speeds \(text(100 / scale - 100, 1)) %"
                    var own = Coverage("a phone at \(trip)", truthError: Self.routeError)
                    for offset in stride(from: 0, to: interval, by: 1) {
                        let capture = leg.every(interval, after: offset)
                        guard let first = capture.fixes.first, let last = capture.fixes.last else { continue }
                        let truth = scale * leg.between(first.timestamp, last.timestamp).speedMeters
                        let result = DistanceResult(of: capture, truth: truth)
                        own.add(result)
                        coverages[index].add(result)
                    }
                    own.report()
                }
            }
        }
        for coverage in coverages { coverage.report() }
    }
}
