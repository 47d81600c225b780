import OdographCivilTime
import OdographGeodesy
import OdographModel
import OdographTracking

/// How often an activity was right, for each confidence.
struct Calibration {
    /// The numbers of right answers and of all, by confidence in per cent.
    private(set) var counts: [Int: (right: Double, total: Double)] = [:]

    var total: Double { counts.values.reduce(0) { $0 + $1.total } }

    mutating func add(_ activity: Activity, isRight: Bool) {
        guard activity.kind != .unknown else { return }
        add(right: isRight ? 1 : 0, total: 1, at: activity.confidencePercent)
    }

    mutating func add(right: Double, total: Double, at percent: Int) {
        counts[percent, default: (0, 0)].right += right
        counts[percent, default: (0, 0)].total += total
    }

    mutating func add(_ other: Calibration) {
        for (percent, count) in other.counts { add(right: count.right, total: count.total, at: percent) }
    }

    /// Returns the share of right answers in a range of confidences, per cent.
    func share(_ confidences: Range<Int>) -> Double {
        let chosen = counts.filter { confidences.contains($0.key) }.values
        return chosen.reduce(0) { $0 + $1.right } / chosen.reduce(0) { $0 + $1.total }
    }

    /// The share of right answers for each ten per cent of confidence, with the number of answers.
    var byTens: String {
        stride(from: 0, to: 100, by: 10).compactMap { ten in
            let total = counts.filter { ten..<ten + 10 ~= $0.key }.values.reduce(0) { $0 + $1.total }
            return total > 0 ? "\(ten): \(text(share(ten..<ten + 10))) (\(Int(total)))" : nil
        }
        .joined(separator: "  ")
    }

    func report(_ name: String) {
        row(
            "confidence, \(name): right at 80…89 / 80…100",
            "\(text(share(80..<90))) / \(text(share(80..<101)))", bar: "0.80 / 0.80")
        print("    share right (fixes) ", byTens)
    }
}

extension Activity {
    /// The name of the activity in the reference data.
    var carrierClass: String {
        switch kind {
        case .still: "still"
        case .onFoot, .walking, .running: "foot"
        case .onBicycle: "bicycle"
        case .inVehicle: "vehicle"
        case .unknown: "none"
        }
    }
}
