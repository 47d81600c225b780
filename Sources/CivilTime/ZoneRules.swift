/// The rules by which one time zone's wall clocks differ from UTC: the transitions that a zone file lists, and the rule
/// for all years after them.
///
/// A value without any access to the system; ``ZoneDirectory`` reads the files. No query allocates.
public struct ZoneRules: Hashable, Sendable {
    /// The name under which the zone was asked for, `Europe/Madrid`.
    public let identifier: String
    /// Seconds since 1970-01-01T00:00:00Z at which an offset begins, strictly ascending.
    let transitionSeconds: [Int64]
    /// The offset that holds from the transition of the same index, seconds east of UTC.
    let offsets: [Int32]
    /// The offset before the first transition.
    let initialOffsetSeconds: Int
    /// What holds from the last transition on; nil: the last offset, for ever.
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

    /// Whether the wall clocks of both zones always show the same, whatever the zones are called.
    public func hasSameRules(as other: ZoneRules) -> Bool { withIdentifier("") == other.withIdentifier("") }

    /// Coordinated Universal Time, which needs no file.
    public static let utc = ZoneRules(identifier: "UTC", initialOffsetSeconds: 0)

    /// The smallest and the largest offset that RFC 9636 (section 3.2, `utoff`) lets a zone have, in seconds.
    static let offsetRangeSeconds = -89_999...93_599

    /// The transition, in seconds since 1970-01-01T00:00:00Z, after which only the yearly rule speaks; nil where it
    /// always does.
    package var lastTransitionSecond: Int64? { transitionSeconds.last }

    /// Seconds to add to UTC for the wall clock's time, positive to the east.
    public func utcOffsetSeconds(at instant: Timestamp) -> Int {
        offsetSpan(atSecond: instant.secondsSinceEpoch).utcOffsetSeconds
    }

    /// The first instant after the given one at which the offset is another.
    /// - Returns: nil where the offset stays, or changes beyond what a `Timestamp` can hold.
    public func nextTransition(after instant: Timestamp) -> Timestamp? {
        let current = offsetSpan(atSecond: instant.secondsSinceEpoch)
        var end = current.endSecond
        // A listed transition may change the name only. A rule has two a year: four without a change are no change.
        for _ in 0..<transitionSeconds.count + 4 where end != .max {
            let next = offsetSpan(atSecond: end)
            if next.utcOffsetSeconds != current.utcOffsetSeconds { return Timestamp(secondsSinceEpoch: end) }
            end = next.endSecond
        }
        return nil
    }
}

extension ZoneRules {
    /// A stretch of time through which one offset holds.
    package struct OffsetSpan: Hashable, Sendable {
        /// Seconds to add to UTC for the wall clock's time.
        package let utcOffsetSeconds: Int
        /// The first second, since 1970-01-01T00:00:00Z, that may have another offset; `Int64.max`: none.
        package let endSecond: Int64
    }

    /// The offset in force at a second since 1970-01-01T00:00:00Z, and how long it holds at least.
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

    /// - Precondition: there is one; `second` is before the last transition.
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
    /// The instant of a whole second since 1970-01-01T00:00:00Z; nil where milliseconds cannot count that far.
    public init?(secondsSinceEpoch: Int64) {
        let (milliseconds, overflow) = secondsSinceEpoch.multipliedReportingOverflow(by: 1000)
        if overflow { return nil }
        self.init(millisecondsSinceEpoch: milliseconds)
    }
}
