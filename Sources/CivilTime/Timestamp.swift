/// An instant in UTC, to the millisecond, on the scale of the POSIX clock (leap seconds do not exist).
///
/// The one type for a point in time that crosses a module's border. It encodes as an ISO-8601 string with
/// milliseconds, `2026-11-21T09:15:02.000Z`, the form the wire contract prescribes.
public struct Timestamp: Hashable, Comparable, Sendable {
    /// Milliseconds since 1970-01-01T00:00:00Z; negative before it.
    public let millisecondsSinceEpoch: Int64

    /// - Parameter millisecondsSinceEpoch: Milliseconds since 1970-01-01T00:00:00Z.
    public init(millisecondsSinceEpoch: Int64) {
        self.millisecondsSinceEpoch = millisecondsSinceEpoch
    }

    /// Whole seconds since 1970-01-01T00:00:00Z, rounded down.
    public var secondsSinceEpoch: Int64 { millisecondsSinceEpoch.flooredDivision(by: 1000) }

    /// Whether the left instant is the earlier one.
    public static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.millisecondsSinceEpoch < right.millisecondsSinceEpoch
    }

    /// Seconds from `other` to this instant; negative when `other` is later.
    public func seconds(since other: Timestamp) -> Double {
        let (difference, isBeyond) = millisecondsSinceEpoch.subtractingReportingOverflow(other.millisecondsSinceEpoch)
        guard isBeyond else { return Double(difference) / 1000 }
        return (Double(millisecondsSinceEpoch) - Double(other.millisecondsSinceEpoch)) / 1000
    }

    /// The instants that have a date with a year of four digits, those of ISO-8601: 0000-01-01 to 9999-12-31, with a day
    /// more on both sides for the zones.
    public static let iso8601Range =
        Timestamp(millisecondsSinceEpoch: -62_167_305_600_000)...Timestamp(millisecondsSinceEpoch: 253_402_387_199_999)

    /// This instant moved by a number of seconds, rounded to the millisecond. Where that is beyond what an instant can be,
    /// the nearest one; for what is not a number, this one.
    public func advanced(bySeconds seconds: Double) -> Timestamp {
        let milliseconds = (seconds * 1000).rounded()
        guard !milliseconds.isNaN else { return self }
        return advanced(byMilliseconds: Int64(exactly: milliseconds) ?? (milliseconds < 0 ? .min : .max))
    }

    /// This instant moved by a number of milliseconds; the nearest one where that is beyond what an instant can be.
    public func advanced(byMilliseconds milliseconds: Int64) -> Timestamp {
        let (sum, isBeyond) = millisecondsSinceEpoch.addingReportingOverflow(milliseconds)
        return Timestamp(millisecondsSinceEpoch: isBeyond ? (milliseconds < 0 ? .min : .max) : sum)
    }
}

extension FixedWidthInteger {
    /// The quotient rounded towards negative infinity, as calendar arithmetic before 1970 needs it.
    @inline(__always)
    func flooredDivision(by divisor: Self) -> Self {
        let quotient = self / divisor
        return (self % divisor != 0) && ((self < 0) != (divisor < 0)) ? quotient - 1 : quotient
    }
}
