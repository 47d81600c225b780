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
        for name in ["rsk_T3_04_22_2021_1", "rsk_T3_06_07_2021"] {
            let truth =
                try table(ofFile: folder + "truth/\(name)_can_speed.csv")
                .compactMap { $0["can_speed_kmh"].flatMap(Double.init) }.reduce(0, +) / 3.6
            try report(name, capture: Capture(path: folder + "\(name).gpsd.jsonl"), truth: truth, bar: "±7 %")
        }
        let comma = try Capture(path: folder + "comma_ublox_10hz.gpsd.jsonl")
        try report("comma", capture: comma, truth: commaTruth(), bar: "0.4 %")
        try phones()
    }

    private func report(_ name: String, capture: Capture, truth: Double, bar: String) {
        let outcome = Outcome(capture)
        row(
            "odometer \(name)",
            "\(text((outcome.meters / truth - 1) * 100)) % ± \(text(outcome.errorMeters / truth * 100)) %",
            naive: "\(text((naive(capture) / truth - 1) * 100)) %", bar: bar)
    }

    /// The sum of the straight lines.
    private func naive(_ capture: Capture) -> Double {
        zip(capture.fixes, capture.fixes.dropFirst()).reduce(0) {
            $0 + $1.0.coordinate.distanceMeters(to: $1.1.coordinate)
        }
    }

    private func commaTruth() throws -> Double {
        let rows = try table(ofFile: folder + "truth/comma_can_speed.csv").compactMap { row in
            row["t_boot_s"].flatMap(Double.init).flatMap { time in
                row["speed_mps"].flatMap(Double.init).map { (time, $0) }
            }
        }
        return zip(rows, rows.dropFirst()).reduce(0) { $0 + ($1.0.1 + $1.1.1) / 2 * ($1.1.0 - $1.0.0) }
    }

    /// The car trips of the phones, thinned, against their own Doppler speed at 1 Hz.
    private func phones() throws {
        let epoch = Timestamp(millisecondsSinceEpoch: 0)
        let legs = [(1_567_271_392.0, 1_567_272_089.0), (1_567_276_325, 1_567_277_505)]
        for name in try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
        where name.hasPrefix("unimodal") {
            let whole = try Capture(path: folder + name)
            for (start, end) in legs {
                let leg = whole.between(epoch.advanced(bySeconds: start), epoch.advanced(bySeconds: end))
                var truth = 0.0
                for (from, to) in zip(leg.fixes, leg.fixes.dropFirst()) {
                    let speeds = [from, to].compactMap(\.speedMetersPerSecond)
                    truth += speeds.mean * to.timestamp.seconds(since: from.timestamp)
                }
                for interval in [1.0, 10, 30, 60] {
                    report(
                        "phone at \(Int(interval)) s, \(Int(truth)) m", capture: leg.every(interval), truth: truth,
                        bar: "")
                }
            }
        }
    }
}
