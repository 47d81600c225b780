import OdographCivilTime

/// Consecutive fixes that agree on a change.
struct FixRun: Equatable, Sendable, Codable {
    private(set) var count = 0
    /// The time of the first fix; nil for an empty run.
    private(set) var since: Timestamp?

    mutating func add(_ step: GeofenceStep) -> FixAgreement {
        let since = since ?? step.time
        self.since = since
        count += 1
        return FixAgreement(count: count, seconds: step.time.seconds(since: since), isSparse: step.isSparse)
    }
}

/// How certain consecutive fixes make a change.
enum FixAgreement: Comparable {
    case insufficient
    case confirmed
    /// Confirmed for longer than noise is correlated.
    case sustained

    init(count: Int, seconds: Double, isSparse: Bool) {
        let required = isSparse ? GeofenceThresholds.requiredSparseFixes : GeofenceThresholds.requiredFixes
        if count < required || seconds < GeofenceThresholds.requiredSeconds {
            self = .insufficient
        } else {
            self = seconds >= GeofenceThresholds.sustainedSeconds ? .sustained : .confirmed
        }
    }
}
