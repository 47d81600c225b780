import CivilTime
import FoundationEssentials
import Geodesy
import Tracking

/// Days of a person, labelled to the minute with stops and modes.
struct LabelledDays {
    private let folder: String
    private let names: [String]
    private let isVerbose: Bool

    init(folder: String, isVerbose: Bool) throws {
        self.folder = folder
        self.isVerbose = isVerbose
        names = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasPrefix("ssi_") }.sorted()
    }

    func report() throws {
        var calibration = Calibration()
        var takenBack = 0
        var sums = [true: [true: 0.0, false: 0.0], false: [true: 0.0, false: 0.0]]
        for name in names {
            let stem = String(name.dropLast(".gpsd.jsonl".count))
            let labels = try table(ofFile: folder + "truth/\(stem).csv").compactMap { row in
                row["timestamp_utc"].flatMap(Timestamp.init(iso8601:)).map {
                    (time: $0, isStop: row["stop"] == "TRUE", mode: row["mode"] ?? "")
                }
            }
            guard let first = labels.first, let last = labels.last else { continue }
            let capture = try Capture(path: folder + name)
            let outcome = Outcome(capture)
            takenBack += outcome.takenBack
            for (fix, activity) in zip(capture.fixes, outcome.activities) where fix.timestamp <= last.time {
                guard let label = labels.last(where: { $0.time <= fix.timestamp }) else { continue }
                // Who stops somewhere may walk about there.
                if label.isStop && activity.carrierClass == "foot" { continue }
                let truth = label.isStop ? "still" : label.mode == "Walk" ? "foot" : "vehicle"
                calibration.add(activity, isRight: activity.carrierClass == truth)
            }
            if isVerbose { outcome.printEvents(since: first.time) }
            var counts = [false: [false: 0.0, true: 0.0], true: [false: 0.0, true: 0.0]]
            var modeRight = 0.0
            var modeTotal = 0.0
            for second in stride(from: 0, to: last.time.seconds(since: first.time), by: 1) {
                let time = first.time.advanced(bySeconds: second)
                guard let label = labels.last(where: { $0.time <= time }) else { continue }
                let event = outcome.event(at: time)
                let isStop = event?.kind.name != "transport"
                counts[label.isStop, default: [:]][isStop, default: 0] += 1
                if !label.isStop && !isStop {
                    modeTotal += 1
                    modeRight += event?.carrierClass == (label.mode == "Walk" ? "foot" : "vehicle") ? 1 : 0
                }
            }
            row("labelled day \(stem): accuracy / stop F1 / move F1", scores(counts), bar: "")
            row("  mode, of the moving time", text(modeRight / modeTotal, 3), bar: "0.95")
            sums.merge(counts) { $0.merging($1, uniquingKeysWith: +) }
        }
        row("labelled days together: accuracy / stop F1 / move F1", scores(sums), bar: "0.92 / 0.93 / 0.86")
        row("  departures taken back", "\(takenBack)", bar: "rare")
        calibration.report("labelled days")
    }

    private func scores(_ counts: [Bool: [Bool: Double]]) -> String {
        func n(_ a: Bool, _ b: Bool) -> Double { counts[a]?[b] ?? 0 }
        let total = n(true, true) + n(false, false) + n(true, false) + n(false, true)
        let accuracy = (n(true, true) + n(false, false)) / total
        let stop = 2 * n(true, true) / (2 * n(true, true) + n(true, false) + n(false, true))
        let move = 2 * n(false, false) / (2 * n(false, false) + n(true, false) + n(false, true))
        return "\(text(accuracy, 3)) / \(text(stop, 3)) / \(text(move, 3))"
    }
}
