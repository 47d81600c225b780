import OdographTracking

/// Each recording judged with the parameters that are best on the other ones.
///
/// It shows what tuning to the recordings is worth on new ones: a parameter that helps only where it was chosen is
/// worse on what was held out. A choice is one parameter a fifth smaller or larger, or none.
struct HeldOut {
    /// The result of one recording.
    private struct Sample {
        let kind: String
        let name: String
        /// The share of the time, or of the fixes, with the right answer.
        let right: Double
        /// The errors of the trips' starts, seconds.
        var starts: [Double] = []
    }

    private let phones: [(name: String, drive: PhoneDrives)]
    private let days: [(name: String, day: LabelledDays)]
    private let rounds: DeliveryRounds

    init(folder: String) throws {
        phones = try PhoneDrives(folder: folder, isVerbose: false).single
        days = try LabelledDays(folder: folder, isVerbose: false).single
        rounds = try DeliveryRounds(folder: folder, isVerbose: false)
    }

    func report() {
        var choices = [(name: "none", samples: samples(ModelParameters()))]
        for figure in NamedFigure.all {
            for factor in Sensitivity.factors {
                choices.append(("\(figure.name) × \(factor)", samples(figure.scaled(by: factor))))
            }
        }
        let inUse = choices[0].samples
        var starts: [Double] = []
        var (better, worse) = (0, 0)
        for (index, sample) in inUse.enumerated() {
            let chosen = choices.max { Self.score($0.samples, without: index) < Self.score($1.samples, without: index) }
            guard let chosen else { continue }
            let heldOut = chosen.samples[index]
            better += heldOut.right > sample.right ? 1 : 0
            worse += heldOut.right < sample.right ? 1 : 0
            starts += heldOut.starts
            row(
                "\(sample.kind), \(sample.name) held out: right", text(heldOut.right, 3), naive: text(sample.right, 3),
                bar: chosen.name)
        }
        for kind in Set(inUse.map(\.kind)).sorted() {
            let right = inUse.filter { $0.kind == kind }.map(\.right)
            row(
                "\(kind), in use: least, median, most",
                [right.min() ?? .nan, right.median, right.max() ?? .nan]
                    .map { text($0, 3) }.joined(separator: " / "), bar: "")
        }
        row("choices that are better / worse on what was held out", "\(better) / \(worse)", bar: "")
        row(
            "starts of trips held out, |median|, most (s)",
            "\(text(starts.map(abs).median, 0)), "
                + text(starts.map(abs).max() ?? .nan, 0), bar: "45")
    }

    /// The mean over the kinds, each of them equal, of all samples but one.
    private static func score(_ samples: [Sample], without index: Int) -> Double {
        let rest = samples.indices.filter { $0 != index }.map { samples[$0] }
        return Dictionary(grouping: rest, by: \.kind).values.map { $0.map(\.right).mean }.mean
    }

    private func samples(_ figures: ModelParameters) -> [Sample] {
        phones.map { name, drive in
            let judged = drive.judged(by: figures)
            return Sample(kind: "phones", name: name, right: judged.modeScore.right, starts: judged.boundaries.starts)
        }
            + days.map { Sample(kind: "days", name: $0.name, right: $0.day.scores(figures).accuracy) }
            + rounds.scores(figures).folds.enumerated().map {
                Sample(kind: "rounds", name: "fifth \($0.offset + 1)", right: $0.element.events)
            }
    }
}
