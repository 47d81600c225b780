import Glibc
import OdographTracking

/// The confidence of activities on drives that were held out: its line is fitted to all drives but one, or to the other
/// kind of recordings, and judged on the rest.
///
/// It shows the results to expect on new drives. The delivery rounds do not take part: their labels say only
/// whether the courier drives, so that half of the wrong answers count as right.
struct ConfidenceValidation {
    private struct Fold {
        let name: String
        /// The kind of recording: each counts equally, however many fixes it has.
        let kind: String
        let calibration: Calibration
    }

    /// The line from the logarithm of the odds that the tracker gives to that of the odds that hold (Platt 1999).
    private struct Line {
        var slope = 1.0
        var offset = 0.0

        func percent(for percent: Int) -> Int {
            let share = min(max(Double(percent), 0.5), 99.5) / 100
            let odds = exp(slope * log(share / (1 - share)) + offset)
            return min(Int((100 * odds / (1 + odds)).rounded()), 99)
        }

        func moved(_ calibration: Calibration) -> Calibration {
            calibration.counts.reduce(into: Calibration()) { moved, count in
                moved.add(right: count.value.right, total: count.value.total, at: percent(for: count.key))
            }
        }
    }

    private let folds: [Fold]

    init(folder: String) throws {
        let phones = try PhoneDrives(folder: folder, isVerbose: false).calibrations
        let days = try LabelledDays(folder: folder, isVerbose: false).calibrations
        // Both phones on one drive are one fold.
        folds =
            phones.enumerated().map {
                Fold(name: "phones, drive \($0.offset + 1)", kind: "phones", calibration: $0.element)
            } + days.map { Fold(name: $0.name, kind: "days", calibration: $0.1) }
    }

    func report() {
        let inUse = MovementParameters()
        print("in use: slope \(text(inUse.confidenceSlope)), divisor \(text(inUse.confidenceOddsDivisor))")
        var heldOut: [String: Calibration] = [:]
        for fold in folds {
            // Also without all drives of the kind, because they have the receiver or the person in common.
            for (how, rest) in [
                ("drive", folds.filter { $0.name != fold.name }), ("kind", folds.filter { $0.kind != fold.kind }),
            ] {
                let line = Self.fitted(to: rest)
                let moved = line.moved(fold.calibration)
                heldOut[how, default: Calibration()].add(moved)
                print("\(fold.name), \(how) held out: \(Self.written(line))")
                print("   ", moved.byTens)
            }
            print("    in use:", fold.calibration.byTens)
        }
        for (how, calibration) in heldOut.sorted(by: { $0.key < $1.key }) {
            row(
                "confidence, \(how) held out: right at 50…69 / 80…89 / 90…99",
                "\(text(calibration.share(50..<70))) / \(text(calibration.share(80..<90))) / "
                    + text(calibration.share(90..<100)), bar: "0.60 / 0.85 / 0.95")
        }
        print("fitted to all: \(Self.written(Self.fitted(to: folds)))")
    }

    /// Returns the line with the largest likelihood (Newton's method for a logistic regression).
    private static func fitted(to folds: [Fold]) -> Line {
        var line = Line()
        let kinds = Dictionary(grouping: folds, by: \.kind)
        for _ in 0..<50 {
            var gradient = (0.0, 0.0)
            var curvature = (0.0, 0.0, 0.0)
            for group in kinds.values {
                let total = group.reduce(0) { $0 + $1.calibration.total }
                for (percent, count) in group.flatMap({ Array($0.calibration.counts) }) {
                    let share = min(max(Double(percent), 0.5), 99.5) / 100
                    let x = log(share / (1 - share))
                    let expected = 1 / (1 + exp(-line.slope * x - line.offset))
                    let residual = (count.right - count.total * expected) / total
                    let weight = count.total * expected * (1 - expected) / total
                    gradient = (gradient.0 + residual * x, gradient.1 + residual)
                    curvature = (curvature.0 + weight * x * x, curvature.1 + weight * x, curvature.2 + weight)
                }
            }
            let determinant = curvature.0 * curvature.2 - curvature.1 * curvature.1
            guard determinant > 0 else { break }
            line.slope += (curvature.2 * gradient.0 - curvature.1 * gradient.1) / determinant
            line.offset += (curvature.0 * gradient.1 - curvature.1 * gradient.0) / determinant
        }
        return line
    }

    /// Returns the parameters that a line on top of those in use amounts to.
    private static func written(_ line: Line) -> String {
        let inUse = MovementParameters()
        let slope = line.slope * inUse.confidenceSlope
        let divisor = exp(line.slope * log(inUse.confidenceOddsDivisor) - line.offset)
        return "slope \(text(slope)), divisor \(text(divisor))"
    }
}
