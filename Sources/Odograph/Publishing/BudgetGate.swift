import OdographStore

/// The effect of a budget on publishing: which records may be sent, and in which form.
struct BudgetGate: Hashable, Sendable {
    /// A step of the budget.
    enum Step: Int, Hashable, Sendable, Comparable, Codable {
        /// The budget has no effect.
        case normal
        /// Records are published in long batches.
        case low
        /// Location records wait on the disk too.
        case exhausted

        static func < (left: Step, right: Step) -> Bool { left.rawValue < right.rawValue }
    }

    /// The shortest interval of batches, and of positions alone, from ``Step/low`` on, seconds. A longer one would save
    /// little: a record in a batch of 10 min already costs about as much as in the largest one.
    static let longIntervalSeconds = 600.0

    /// The step of the budget.
    var step = Step.normal
    /// Whether the records that have waited for the present period are being sent. They go in batches: alone they could
    /// use up the budget again.
    var isReleasing = false

    /// Whether location records may be sent. Records of other kinds always may: revisions of the timeline, geofence
    /// events and given-up records are few.
    var allowsLocations: Bool { step < .exhausted }

    /// Returns whether a record of a kind may be sent.
    func allows(_ kind: RecordKind) -> Bool { allowsLocations || kind != .location }

    /// Returns the form in which records are published.
    func encoding(_ configured: EncodingSettings) -> EncodingSettings {
        guard step > .normal || isReleasing else { return configured }
        var encoding = configured
        encoding.mode = .compact
        guard step > .normal else { return encoding }
        encoding.batchIntervalSeconds = max(configured.batchIntervalSeconds, Self.longIntervalSeconds)
        encoding.positionIntervalSeconds = max(configured.positionIntervalSeconds, Self.longIntervalSeconds)
        return encoding
    }
}
