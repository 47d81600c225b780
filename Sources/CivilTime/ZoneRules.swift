/// The relation of a zone's wall clocks to UTC: the transitions of a zone file, and the rule for all later years.
///
/// The value does not access the system; ``ZoneDirectory`` reads the files. Queries do not allocate.
public struct ZoneRules: Hashable, Sendable {
    /// The name with which the zone was requested, for example `Europe/Madrid`.
    public let identifier: String
    /// The starts of the offsets, seconds since 1970-01-01T00:00:00Z, strictly ascending.
    let transitionSeconds: [Int64]
    /// The offset after the transition with the same index, seconds east of UTC.
    let offsets: [Int32]
    /// The offset before the first transition, seconds east of UTC.
    let initialOffsetSeconds: Int
    /// The rule after the last transition; nil if the last offset is valid for ever.
    let yearlyRule: YearlyRule?

    init(
        identifier: String, transitionSeconds: [Int64] = [], offsets: [Int32] = [], initialOffsetSeconds: Int,
        yearlyRule: YearlyRule? = nil
    ) {
        self.identifier = identifier
        self.transitionSeconds = transitionSeconds
        self.offsets = offsets
        self.initialOffsetSeconds = initialOffsetSeconds
        self.yearlyRule = yearlyRule
    }

    /// Whether both zones have equal transitions and rules, regardless of their names.
    public func hasSameRules(as other: ZoneRules) -> Bool { withIdentifier("") == other.withIdentifier("") }

    /// Coordinated Universal Time, without a file.
    public static let utc = ZoneRules(identifier: "UTC", initialOffsetSeconds: 0)

    /// The range of offsets that RFC 9636 (section 3.2, `utoff`) allows, seconds.
    static let offsetRangeSeconds = -89_999...93_599

    /// The last transition, seconds since 1970-01-01T00:00:00Z; nil if there is none. The yearly rule follows it.
    package var lastTransitionSecond: Int64? { transitionSeconds.last }

    /// Returns the seconds to add to UTC for the wall clock's time, positive to the east.
    public func utcOffsetSeconds(at instant: Timestamp) -> Int {
        offsetSpan(atSecond: instant.secondsSinceEpoch).utcOffsetSeconds
    }
}

extension ZoneRules {
    /// A time span with one offset.
    package struct OffsetSpan: Hashable, Sendable {
        /// Seconds to add to UTC for the wall clock's time.
        package let utcOffsetSeconds: Int
        /// The first second, since 1970-01-01T00:00:00Z, that may have another offset; `Int64.max` if there is none.
        package let endSecond: Int64
    }

    /// Returns the offset at a second since 1970-01-01T00:00:00Z, and the earliest end of that offset.
    package func offsetSpan(atSecond second: Int64) -> OffsetSpan {
        guard let last = transitionSeconds.last, second < last else {
            if let yearlyRule { return yearlyRule.offsetSpan(atSecond: second) }
            return OffsetSpan(
                utcOffsetSeconds: offsets.last.map(Int.init) ?? initialOffsetSeconds, endSecond: .max)
        }
        let following = indexOfFirstTransition(after: second)
        return OffsetSpan(
            utcOffsetSeconds: following == 0 ? initialOffsetSeconds : Int(offsets[following - 1]),
            endSecond: transitionSeconds[following])
    }

    /// - Precondition: `second` is before the last transition.
    private func indexOfFirstTransition(after second: Int64) -> Int {
        var low = 0
        var high = transitionSeconds.count - 1
        while low < high {
            let middle = (low + high) / 2
            if transitionSeconds[middle] <= second { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

extension Timestamp {
    /// Creates an instant from seconds since 1970-01-01T00:00:00Z; nil if it is out of range in milliseconds.
    public init?(secondsSinceEpoch: Int64) {
        let (milliseconds, overflow) = secondsSinceEpoch.multipliedReportingOverflow(by: 1000)
        if overflow { return nil }
        self.init(millisecondsSinceEpoch: milliseconds)
    }
}
