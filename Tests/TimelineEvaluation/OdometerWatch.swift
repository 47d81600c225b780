import OdographModel
import OdographTracking

/// The odometer against the truth at every fix of a run.
struct OdometerWatch {
    /// The number of fixes at which the truth was within the bound, and of all fixes.
    private(set) var inside = 0
    private(set) var count = 0
    /// The largest distance of the truth from the bound, metres.
    private(set) var worstMeters = 0.0
    /// The largest excess of the odometer over the truth at the end of a run, metres.
    private(set) var worstGainMeters = 0.0
    /// The error at the end of each run as a share of the truth, and the bound.
    private(set) var ends: [(error: Double, bound: Double)] = []

    /// Runs a tracker.
    /// - Parameter truths: the true distance at each fix, metres.
    mutating func add(_ fixes: [Fix], truths: [Double]) {
        var tracker = Tracker()
        let begin = truths.first ?? 0
        for (fix, truth) in zip(fixes, truths) {
            _ = tracker.handle(.fix(fix))
            let off = abs(tracker.odometerMeters - truth + begin)
            count += 1
            if off <= tracker.odometerErrorMeters + Self.unseenMeters { inside += 1 }
            worstMeters = max(worstMeters, off - tracker.odometerErrorMeters)
        }
        let truth = (truths.last ?? begin) - begin
        worstGainMeters = max(worstGainMeters, tracker.odometerMeters - truth)
        ends.append(
            ((tracker.odometerMeters - truth) / max(truth, 1), tracker.odometerErrorMeters / max(truth, 1)))
    }

    /// The distance that a receiver cannot see: a metre of a parking space.
    private static let unseenMeters = 1.0

    var insideShare: Double { Double(inside) / Double(max(count, 1)) }
    var meanError: Double { ends.map(\.error).mean }
    var medianBound: Double { ends.map(\.bound).median }
    var endsInside: Int { ends.count { abs($0.error) <= $0.bound } }
}
