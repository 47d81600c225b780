import CivilTime

/// Consecutive fixes that agree on a change.
struct FixRun: Equatable, Sendable, Codable {
    private(set) var count = 0
    /// The time of the first fix; nil for an empty run.
    private(set) var since: Timestamp?

    init() {}

    init(count: Int, since: Timestamp) {
        self.count = count
        self.since = count == 0 ? nil : since
    }

    /// Adds a fix.
    mutating func add(_ time: Timestamp, isSparse: Bool) -> FixAgreement {
        let since = since ?? time
        self.since = since
        count += 1
        return FixAgreement(count: count, seconds: time.seconds(since: since), isSparse: isSparse)
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
