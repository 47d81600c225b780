/// An instant in UTC, to the millisecond, on the POSIX scale (without leap seconds).
///
/// Every public interface uses this type for a point in time. It is encoded as an ISO-8601 string with milliseconds,
/// `2026-11-21T09:15:02.000Z`, as the protocol requires.
public struct Timestamp: Hashable, Comparable, Sendable {
    /// Milliseconds since 1970-01-01T00:00:00Z; negative before it.
    public let millisecondsSinceEpoch: Int64

    /// Creates an instant.
    /// - Parameter millisecondsSinceEpoch: Milliseconds since 1970-01-01T00:00:00Z.
    public init(millisecondsSinceEpoch: Int64) {
        self.millisecondsSinceEpoch = millisecondsSinceEpoch
    }

    /// Whole seconds since 1970-01-01T00:00:00Z, rounded down.
    public var secondsSinceEpoch: Int64 { millisecondsSinceEpoch.flooredDivision(by: 1000) }

    /// Whether the left instant is earlier.
    public static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.millisecondsSinceEpoch < right.millisecondsSinceEpoch
    }

    /// Returns the seconds from `other` to this instant; negative if `other` is later.
    public func seconds(since other: Timestamp) -> Double {
        let (difference, isBeyond) = millisecondsSinceEpoch.subtractingReportingOverflow(other.millisecondsSinceEpoch)
        guard isBeyond else { return Double(difference) / 1000 }
        return (Double(millisecondsSinceEpoch) - Double(other.millisecondsSinceEpoch)) / 1000
    }

    /// The instants that ISO-8601 with four-digit years can express: 0000-01-01 to 9999-12-31, and one more day at each
    /// end for the zones.
    public static let iso8601Range =
        Timestamp(millisecondsSinceEpoch: -62_167_305_600_000)...Timestamp(millisecondsSinceEpoch: 253_402_387_199_999)

    /// Returns the instant moved by a number of seconds, rounded to the millisecond and clamped to the range of the
    /// type; this instant if the number is NaN.
    public func advanced(bySeconds seconds: Double) -> Timestamp {
        let milliseconds = (seconds * 1000).rounded()
        guard !milliseconds.isNaN else { return self }
        return advanced(byMilliseconds: Int64(exactly: milliseconds) ?? (milliseconds < 0 ? .min : .max))
    }

    /// Returns the instant moved by a number of milliseconds, clamped to the range of the type.
    public func advanced(byMilliseconds milliseconds: Int64) -> Timestamp {
        let (sum, isBeyond) = millisecondsSinceEpoch.addingReportingOverflow(milliseconds)
        return Timestamp(millisecondsSinceEpoch: isBeyond ? (milliseconds < 0 ? .min : .max) : sum)
    }
}

extension FixedWidthInteger {
    /// Returns the quotient rounded towards negative infinity, as calendar arithmetic before 1970 requires.
    @inline(__always)
    func flooredDivision(by divisor: Self) -> Self {
        let quotient = self / divisor
        return (self % divisor != 0) && ((self < 0) != (divisor < 0)) ? quotient - 1 : quotient
    }
}
