import OdographCivilTime
import OdographGeodesy
import OdographModel
import OdographTracking

/// How often an activity was right, for each confidence.
struct Calibration {
    private var bins: [Int: (right: Double, total: Double)] = [:]

    mutating func add(_ activity: Activity, isRight: Bool) {
        guard activity.kind != .unknown else { return }
        let bin = activity.confidencePercent / 10
        bins[bin, default: (0, 0)].total += 1
        if isRight { bins[bin, default: (0, 0)].right += 1 }
    }

    mutating func add(_ other: Calibration) {
        for (bin, count) in other.bins {
            bins[bin, default: (0, 0)].right += count.right
            bins[bin, default: (0, 0)].total += count.total
        }
    }

    /// Returns the share of right answers in a range of confidences, per cent.
    func share(_ confidences: Range<Int>) -> Double {
        let chosen = bins.filter { confidences.contains($0.key * 10) }.values
        return chosen.reduce(0) { $0 + $1.right } / chosen.reduce(0) { $0 + $1.total }
    }

    func report(_ name: String) {
        row(
            "confidence, \(name): right at 80…89 / 80…100",
            "\(text(share(80..<90))) / \(text(share(80..<101)))", bar: "0.80 / 0.80")
        let all = bins.sorted { $0.key < $1.key }
            .map { "\($0.key * 10): \(text($0.value.right / $0.value.total)) (\(Int($0.value.total)))" }
        print("    share right (fixes) ", all.joined(separator: "  "))
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
