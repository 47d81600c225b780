import CivilTime
import FoundationEssentials
import Geodesy
import Tracking

/// Delivery rounds at a fix in 5 s, on foot or driving for each fix.
struct DeliveryRounds {
    private let folder: String
    private let isVerbose: Bool

    init(folder: String, isVerbose: Bool) throws {
        self.folder = folder
        self.isVerbose = isVerbose
    }

    /// The labels and the events of a round, a letter a fix: driving, on foot, standing, neither.
    private func drawing(of capture: Capture, _ outcome: Outcome, labels: [String], name: String) -> String {
        let letters = ["vehicle": "D", "foot": "f", "still": "s", "bicycle": "b"]
        let ours = capture.fixes.map { letters[outcome.event(at: $0.timestamp)?.carrierClass ?? ""] ?? "?" }
        return "    \(name)\n    \(labels.map { $0 == "Driving" ? "D" : "f" }.joined())\n    \(ours.joined())"
    }

    func report() throws {
        var labels: [String: [String]] = [:]
        for row in try table(ofFile: folder + "truth/goal_labels.csv") {
            labels[row["trajectory"] ?? "", default: []].append(row["label"] ?? "")
        }
        var right = 0.0
        var rightEvents = 0.0
        var naive = 0.0
        var total = 0.0
        var calibration = Calibration()
        for (name, labels) in labels.sorted(by: { $0.key < $1.key }) {
            let capture = try Capture(path: folder + "goal/\(name).gpsd.jsonl")
            let outcome = Outcome(capture)
            if isVerbose {
                outcome.printEvents(since: capture.fixes[0].timestamp);
                print(drawing(of: capture, outcome, labels: labels, name: name))
            }
            for (index, fix) in capture.fixes.enumerated() where index < labels.count {
                let isDriving = labels[index] == "Driving"
                let activity = outcome.activities[index]
                let isRight = (activity.kind == .inVehicle) == isDriving
                right += isRight ? 1 : 0
                rightEvents += (outcome.event(at: fix.timestamp)?.carrierClass == "vehicle") == isDriving ? 1 : 0
                total += 1
                let other = capture.fixes[max(index - 1, 0)]
                let seconds = max(fix.timestamp.seconds(since: other.timestamp), 1)
                naive += (fix.coordinate.distanceMeters(to: other.coordinate) / seconds > 2.5) == isDriving ? 1 : 0
                calibration.add(activity, isRight: isRight)
            }
        }
        row(
            "delivery rounds: foot or driving, per fix",
            "\(text(right / total, 3)) (events \(text(rightEvents / total, 3)))", naive: text(naive / total, 3),
            bar: "0.92")
        calibration.report("delivery rounds")
    }
}
