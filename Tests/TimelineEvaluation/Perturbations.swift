import OdographTracking

/// The scores of the same drives with worse receivers, to find parameters that suit only the receivers of the corpora.
struct Perturbations {
    private let phones: PhoneDrives
    private let days: LabelledDays
    private let rounds: DeliveryRounds
    private let isVerbose: Bool

    init(folder: String, isVerbose: Bool) throws {
        self.isVerbose = isVerbose
        phones = try PhoneDrives(folder: folder, isVerbose: false)
        days = try LabelledDays(folder: folder, isVerbose: false)
        rounds = try DeliveryRounds(folder: folder, isVerbose: false)
    }

    func report() {
        print(
            "rounds live, events | days accuracy, stop, move, taken back | phones mode, starts and ends off by (median, "
                + "p90), trips found / false, told after (start, stop: worst), taken back")
        for perturbation in Perturbation.all { report(perturbation) }
    }

    private func report(_ perturbation: Perturbation) {
        var (live, events, mode): ([Double], [Double], [Double]) = ([], [], [])
        var (accuracy, stop, move): ([Double], [Double], [Double]) = ([], [], [])
        var boundaries = TripBoundaries()
        var daysTakenBack = 0
        for seed in 1...perturbation.seeds {
            let change = { (capture: Capture) in perturbation.applied(to: capture, seed: seed) }
            if perturbation.keepsEveryFix {
                let score = rounds.changed(by: change).scores(ModelParameters()).all
                live.append(score.live)
                events.append(score.events)
            }
            let days = days.changed(by: change)
            let score = days.scores(ModelParameters())
            accuracy.append(score.accuracy)
            stop.append(score.stop)
            move.append(score.move)
            daysTakenBack += days.takenBack
            let phones = phones.changed(by: change)
            if isVerbose {
                print("\(perturbation.name), seed \(seed)")
                phones.printTrips()
            }
            mode.append(phones.modeScore.right)
            boundaries.add(phones.boundaries)
        }
        let off = boundaries.off
        let columns = [
            "\(text(live.mean, 3)) \(text(events.mean, 3))",
            "\(text(accuracy.mean, 3)) \(text(stop.mean, 3)) \(text(move.mean, 3)) \(daysTakenBack)",
            "\(text(mode.mean, 3)) \(text(off.median, 0)) \(text(off.quantile(0.9), 0)) s "
                + "\(boundaries.found) of \(boundaries.count) / \(boundaries.falseTrips) "
                + "\(text(boundaries.startDelays.max() ?? .nan, 0)) \(text(boundaries.stopDelays.max() ?? .nan, 0)) s "
                + "\(boundaries.takenBack)",
        ]
        let name = perturbation.name
        print("\(name)\(String(repeating: " ", count: max(32 - name.count, 0))) \(columns.joined(separator: " | "))")
    }
}
