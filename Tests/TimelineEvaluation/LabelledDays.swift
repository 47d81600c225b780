import FoundationEssentials
import OdographCivilTime
import OdographGeodesy
import OdographModel
import OdographTracking

/// Days of a person, with labels of stops and modes to the minute.
struct LabelledDays {
    private struct Label {
        let time: Timestamp
        let isStop: Bool
        let mode: String

        var carrierClass: String { isStop ? "still" : mode == "Walk" ? "foot" : "vehicle" }
    }

    private struct Day {
        let name: String
        var capture: Capture
        let labels: [Label]

        var span: Span { Span(start: labels[0].time, end: labels[labels.count - 1].time) }

        /// Returns the label at an instant. A label is a whole minute, and can be read as a later part of it.
        func label(at time: Timestamp, laterBySeconds seconds: Double = 0) -> Label? {
            labels.last { $0.time.advanced(bySeconds: seconds) <= time }
        }
    }

    /// Seconds of stops and of trips, by the labels and by the events.
    struct Score {
        fileprivate var stops = 0.0
        fileprivate var ways = 0.0
        fileprivate var missedStops = 0.0
        fileprivate var missedWays = 0.0
        fileprivate var modes = 0.0
        fileprivate var rightModes = 0.0

        var accuracy: Double { (stops + ways) / (stops + ways + missedStops + missedWays) }
        var stop: Double { 2 * stops / (2 * stops + missedStops + missedWays) }
        var move: Double { 2 * ways / (2 * ways + missedStops + missedWays) }

        fileprivate mutating func add(_ other: Score) {
            stops += other.stops
            ways += other.ways
            missedStops += other.missedStops
            missedWays += other.missedWays
            modes += other.modes
            rightModes += other.rightModes
        }
    }

    private var days: [Day]
    private let isVerbose: Bool

    init(folder: String, isVerbose: Bool) throws {
        self.isVerbose = isVerbose
        let names = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasPrefix("ssi_") }
        days = try names.sorted().compactMap { name in
            let stem = String(name.dropLast(".gpsd.jsonl".count))
            let labels = try table(ofFile: folder + "truth/\(stem).csv").compactMap { row in
                row["timestamp_utc"].flatMap(Timestamp.init(iso8601:)).map {
                    Label(time: $0, isStop: row["stop"] == "TRUE", mode: row["mode"] ?? "")
                }
            }
            return labels.isEmpty ? nil : Day(name: stem, capture: try Capture(path: folder + name), labels: labels)
        }
    }

    func report() {
        var calibration = Calibration()
        var sum = Score()
        var later = Score()
        var takenBack = 0
        for day in days {
            let outcome = Outcome(day.capture)
            takenBack += outcome.takenBack
            calibration.add(self.calibration(of: day, outcome))
            if isVerbose {
                outcome.printEvents(since: day.span.start)
                printDifferences(of: day, outcome)
            }
            let score = score(of: day, outcome)
            row("labelled day \(day.name): accuracy / stop F1 / move F1", written(score), bar: "")
            row("  mode, of the moving time", text(score.rightModes / score.modes, 3), bar: "0.95")
            sum.add(score)
            later.add(self.score(of: day, outcome, laterBySeconds: 30))
        }
        row("labelled days together: accuracy / stop F1 / move F1", written(sum), bar: "0.92 / 0.93 / 0.86")
        row("  departures taken back", "\(takenBack)", bar: "rare")
        row("  the labels read as of the middle of their minutes", written(later), bar: "")
        calibration.report("labelled days")
    }

    /// Each day alone, with its name.
    var single: [(name: String, day: LabelledDays)] {
        days.map { day in
            var copy = self
            copy.days = [day]
            return (day.name, copy)
        }
    }

    /// Returns the same days with other receivers.
    func changed(by change: (Capture) -> Capture) -> LabelledDays {
        var copy = self
        for index in days.indices { copy.days[index].capture = change(days[index].capture) }
        return copy
    }

    /// The number of withdrawn departures.
    var takenBack: Int { days.reduce(0) { $0 + Outcome($1.capture).takenBack } }

    /// Returns the score of all days.
    func scores(_ figures: ModelParameters) -> Score {
        days.reduce(into: Score()) { $0.add(score(of: $1, Outcome($1.capture, figures: figures))) }
    }

    private func score(of day: Day, _ outcome: Outcome, laterBySeconds later: Double = 0) -> Score {
        var score = Score()
        for second in stride(from: 0, to: day.span.seconds, by: 1) {
            let time = day.span.start.advanced(bySeconds: second)
            guard let label = day.label(at: time, laterBySeconds: later) else { continue }
            let event = outcome.event(at: time)
            switch (label.isStop, event?.kind.name != "transport") {
            case (true, true): score.stops += 1
            case (true, false): score.missedStops += 1
            case (false, true): score.missedWays += 1
            case (false, false):
                score.ways += 1
                score.modes += 1
                score.rightModes += event?.carrierClass == label.carrierClass ? 1 : 0
            }
        }
        return score
    }

    /// Prints each time span for which the labels and the events differ.
    private func printDifferences(of day: Day, _ outcome: Outcome) {
        var begin: Double?
        for second in stride(from: 0, through: day.span.seconds, by: 1) {
            let time = day.span.start.advanced(bySeconds: second)
            let isStop = outcome.event(at: time)?.kind.name != "transport"
            let differs = second < day.span.seconds && day.label(at: time).map { $0.isStop != isStop } ?? false
            if differs, begin == nil { begin = second }
            guard !differs, let start = begin else { continue }
            begin = nil
            print("    differs \(text(start, 0)) … \(text(second, 0)) (\(text(second - start, 0)) s)")
        }
    }

    /// The calibration of each day.
    var calibrations: [(name: String, Calibration)] {
        days.map { ($0.name, calibration(of: $0, Outcome($0.capture))) }
    }

    private func calibration(of day: Day, _ outcome: Outcome) -> Calibration {
        var calibration = Calibration()
        for (fix, activity) in zip(day.capture.fixes, outcome.activities) where fix.timestamp <= day.span.end {
            guard let label = day.label(at: fix.timestamp) else { continue }
            // A person at a stop may walk about there.
            if label.isStop && activity.carrierClass == "foot" { continue }
            calibration.add(activity, isRight: activity.carrierClass == label.carrierClass)
        }
        return calibration
    }

    private func written(_ score: Score) -> String {
        "\(text(score.accuracy, 3)) / \(text(score.stop, 3)) / \(text(score.move, 3))"
    }
}
