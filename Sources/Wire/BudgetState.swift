import OdographCivilTime

/// The state of the traffic budget of a device, as a part of `reported` and of `status`.
public struct BudgetState: Hashable, Sendable, Codable {
    /// The bytes on the network since the beginning of the period, both ways, with the headers of TCP and IP.
    public var bytes: Int64
    /// The budget of a period, bytes.
    public var limit: Int64
    /// The bytes above the limit; 0 if there are none.
    public var overshoot: Int64
    /// The step of the budget, which says what the device still sends.
    public var step: Step
    /// The beginning of the period; absent while the device does not know the time.
    public var from: Timestamp?
    /// The end of the period; absent while the device does not know the time.
    public var until: Timestamp?

    /// Creates a state from its parts.
    public init(bytes: Int64, limit: Int64, overshoot: Int64, step: Step, from: Timestamp?, until: Timestamp?) {
        self.bytes = bytes
        self.limit = limit
        self.overshoot = overshoot
        self.step = step
        self.from = from
        self.until = until
    }

    /// The used part of the budget, percent, rounded down.
    public var percent: Int {
        guard limit > 0, bytes > 0 else { return 0 }
        return Int(min(Double(bytes) / Double(limit) * 100, 1e15))
    }

    /// Returns whether two states differ enough to report the newer one: not in less than a tenth of the budget.
    func differsSignificantly(from other: BudgetState) -> Bool {
        limit != other.limit || step != other.step || from != other.from || until != other.until
            || percent / 10 != other.percent / 10
    }
}

extension BudgetState {
    /// A step of the budget.
    public struct Step: OpenEnumeration {
        /// The budget has no effect.
        public static let normal = Self(rawValue: "normal")
        /// 80 % are used, or the trend exceeds the budget: records are published in long batches.
        public static let low = Self(rawValue: "low")
        /// Everything is used: location records wait on the disk until the next period.
        public static let exhausted = Self(rawValue: "exhausted")

        /// The values that this version knows.
        public static let knownValues: [Self] = [.normal, .low, .exhausted]

        /// The value on the wire.
        public let rawValue: String

        /// Creates a value, also an unknown one.
        public init(rawValue: String) { self.rawValue = rawValue }
    }
}
