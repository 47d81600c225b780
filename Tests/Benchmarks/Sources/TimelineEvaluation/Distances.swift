import CivilTime
import FoundationEssentials
import Geodesy
import Tracking

/// The odometer against the speed of the vehicle's own bus.
struct Distances {
    private let folder: String

    init(folder: String) throws {
        self.folder = folder
    }

    func report() throws {
        // A bus is good to ±4 %.
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
        row(
            "odometer \(name)", "\(text(result.error * 100)) % ± \(text(result.bound * 100)) %",
            naive: "\(text(result.naive * 100)) %", bar: bar)
    }

    private func comma() throws {
        let capture = try Capture(path: folder + "comma_ublox_10hz.gpsd.jsonl")
        let truth = try BusSpeed(path: folder + "truth/comma_can_speed.csv").meters(during: capture.fixes)
        var coverage = Coverage("10 Hz")
        report("comma at 10 Hz", capture: capture, truth: truth, bar: "0.4 %", into: &coverage)
        // No way is shorter than the line between its ends: by so much the bus is wrong at least.
        if let first = capture.fixes.first, let last = capture.fixes.last {
            let line = first.coordinate.distanceMeters(to: last.coordinate)
            row("  the straight line from its first fix to its last", "\(text((line / truth - 1) * 100)) %", bar: "")
        }
        coverage.report()
    }

    /// What the sum of a phone's speeds may be wrong, as a part of it: those of the two phones of one trip differ by 4 %
    /// in the car and by 2 % on the bicycle.
    private static let phoneTruthError = 0.03

    /// The trips of the phones by car and by bicycle, thinned, against their own Doppler speed at 1 Hz between the first
    /// and the last fix that is left. Each trip is thinned from every second on: what the fixes miss hangs on where they fall.
    private func phones() throws {
        let epoch = Timestamp(millisecondsSinceEpoch: 0)
        let intervals = [1.0, 10, 30, 60]
        var coverages = intervals.map { Coverage("phones, a fix in \(Int($0)) s", truthError: Self.phoneTruthError) }
        let legs = [(1_567_271_392.0, 1_567_272_089.0), (1_567_276_325, 1_567_277_505)]
        for name in try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
        where name.hasPrefix("unimodal") {
            let whole = try Capture(path: folder + name)
            for (start, end) in legs {
                let leg = whole.between(epoch.advanced(bySeconds: start), epoch.advanced(bySeconds: end))
                for (index, interval) in intervals.enumerated() {
                    let trip = "\(Int(interval)) s, \(Int(leg.speedMeters)) m"
                    var own = Coverage("a phone at \(trip)", truthError: Self.phoneTruthError)
                    for offset in stride(from: 0, to: interval, by: 1) {
                        let capture = leg.every(interval, after: offset)
                        guard let first = capture.fixes.first, let last = capture.fixes.last else { continue }
                        let truth = leg.between(first.timestamp, last.timestamp).speedMeters
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
