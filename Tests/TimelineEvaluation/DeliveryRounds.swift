import FoundationEssentials
import OdographCivilTime
import OdographGeodesy
import OdographModel
import OdographTracking

/// Delivery rounds with a fix each 5 s, each labelled as on foot or driving.
struct DeliveryRounds {
    private struct Round {
        let name: String
        var capture: Capture
        let labels: [String]
    }

    /// The number of fixes, and of those with a right answer.
    struct Score {
        fileprivate var rightLive = 0.0
        fileprivate var rightEvents = 0.0
        fileprivate var rightNaive = 0.0
        fileprivate var total = 0.0
        fileprivate(set) var calibration = Calibration()

        /// The score of the activity of each location, which does not know later fixes.
        var live: Double { rightLive / total }
        /// The score of the last revisions of the events.
        var events: Double { rightEvents / total }
        var naive: Double { rightNaive / total }

        fileprivate mutating func add(_ other: Score) {
            rightLive += other.rightLive
            rightEvents += other.rightEvents
            rightNaive += other.rightNaive
            total += other.total
            calibration.add(other.calibration)
        }
    }

    private var rounds: [Round]
    private let isVerbose: Bool

    init(folder: String, isVerbose: Bool) throws {
        self.isVerbose = isVerbose
        var labels: [String: [String]] = [:]
        for row in try table(ofFile: folder + "truth/goal_labels.csv") {
            labels[row["trajectory"] ?? "", default: []].append(row["label"] ?? "")
        }
        rounds = try labels.sorted(by: { $0.key < $1.key }).map { name, labels in
            Round(name: name, capture: try Capture(path: folder + "goal/\(name).gpsd.jsonl"), labels: labels)
        }
    }

    func report() {
        let scores = scores(ModelParameters())
        row(
            "delivery rounds: foot or driving, per fix",
            "\(text(scores.all.live, 3)) (events \(text(scores.all.events, 3)))", naive: text(scores.all.naive, 3),
            bar: "0.92")
        row(
            "  each fifth of the rounds",
            scores.folds.map { "\(text($0.live, 3)) (events \(text($0.events, 3)))" }.joined(separator: ", "), bar: "")
        scores.all.calibration.report("delivery rounds")
    }

    /// Returns the same rounds with other receivers, which give as many fixes.
    func changed(by change: (Capture) -> Capture) -> DeliveryRounds {
        var copy = self
        for index in rounds.indices { copy.rounds[index].capture = change(rounds[index].capture) }
        return copy
    }

    /// Returns the score of all rounds, and of each fifth of them: a rule that helps only some of them is fitted to
    /// them.
    func scores(_ figures: ModelParameters) -> (all: Score, folds: [Score]) {
        var folds = Array(repeating: Score(), count: 5)
        for (index, round) in rounds.enumerated() {
            folds[index * folds.count / rounds.count].add(score(of: round, figures))
        }
        return (folds.reduce(into: Score()) { $0.add($1) }, folds)
    }

    private func score(of round: Round, _ figures: ModelParameters) -> Score {
        let outcome = Outcome(round.capture, figures: figures)
        if isVerbose {
            outcome.printEvents(since: round.capture.fixes[0].timestamp)
            print(drawing(of: round, outcome))
        }
        var score = Score()
        for (index, fix) in round.capture.fixes.enumerated() where index < round.labels.count {
            let isDriving = round.labels[index] == "Driving"
            let activity = outcome.activities[index]
            let isRight = (activity.kind == .inVehicle) == isDriving
            score.rightLive += isRight ? 1 : 0
            score.rightEvents += (outcome.event(at: fix.timestamp)?.carrierClass == "vehicle") == isDriving ? 1 : 0
            score.total += 1
            let other = round.capture.fixes[max(index - 1, 0)]
            let seconds = max(fix.timestamp.seconds(since: other.timestamp), 1)
            score.rightNaive +=
                (fix.coordinate.distanceMeters(to: other.coordinate) / seconds > 2.5) == isDriving ? 1 : 0
            score.calibration.add(activity, isRight: isRight)
        }
        return score
    }

    /// Returns the labels and the events of a round, a letter per fix: driving, on foot, stationary, other.
    private func drawing(of round: Round, _ outcome: Outcome) -> String {
        let letters = ["vehicle": "D", "foot": "f", "still": "s", "bicycle": "b"]
        let ours = round.capture.fixes.map { letters[outcome.event(at: $0.timestamp)?.carrierClass ?? ""] ?? "?" }
        let labels = round.labels.map { $0 == "Driving" ? "D" : "f" }
        return "    \(round.name)\n    \(labels.joined())\n    \(ours.joined())"
    }
}
