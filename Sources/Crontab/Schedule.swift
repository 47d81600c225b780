import OdographCivilTime

/// The open minutes of a wall clock: those that a crontab expression, or one of several, matches. `* 10-20 * * 1-5` is
/// open until 20:59:59.
///
/// The expressions are parsed once into bits; queries do not allocate. A minute that a zone's clocks skip does not
/// exist; a minute that they repeat counts both times.
public struct Schedule: Hashable, Sendable {
    /// The largest number of expressions.
    public static let maximumExpressions = 32

    /// The original expressions, at least one.
    public let expressions: [String]
    let union: ScheduleUnion
    /// Whether the schedule is open in every minute.
    public let isAlwaysOpen: Bool

    /// Parses a schedule of one expression.
    /// - Parameter expression: Five fields (minute, hour, day of month, month, weekday) or a macro such as `@daily`.
    /// - Throws: ``ScheduleError`` with the field, its text and the remedy.
    public init(_ expression: String) throws(ScheduleError) { try self.init([expression]) }

    /// Parses a schedule of several expressions; it is open while at least one of them matches.
    /// - Throws: ``ScheduleError`` of the first wrong expression, or about their number.
    public init(_ expressions: [String]) throws(ScheduleError) {
        guard (1...Self.maximumExpressions).contains(expressions.count) else {
            throw ScheduleError(
                nil, "", "\(expressions.count) expressions; a schedule has 1 to \(Self.maximumExpressions)")
        }
        var masks: [ScheduleMask] = []
        for expression in expressions {
            do throws(ScheduleError) {
                var parser = ScheduleParser(expression: expression)
                masks.append(try parser.parse())
            } catch {
                var error = error
                error.expression = expression
                throw error
            }
        }
        self.expressions = expressions
        union = ScheduleUnion(masks: masks)
        isAlwaysOpen = union.alwaysMatches
    }

    /// Whether it has single minutes only, as `0 8-18 * * *` has: in most cases the first field should be `*`.
    public var hasOnlySingleMinutes: Bool {
        let minutes = union.masks.reduce(0) { $0 | $1.minutes }
        let isWrapping = minutes & 1 == 1 && minutes >> 59 & 1 == 1
        return minutes & (minutes << 1) == 0 && !isWrapping
    }

    /// Parses expressions that are separated by line feeds.
    package init(lines: String) throws(ScheduleError) {
        try self.init(lines.split(separator: "\n", omittingEmptySubsequences: false).map(String.init))
    }

    /// The expressions, separated by line feeds. No expression contains one.
    package var lines: String { expressions.joined(separator: "\n") }

    /// Whether the schedule is open at an instant in a zone.
    public func isOpen(at instant: Timestamp, in zone: ZoneRules) -> Bool {
        let second = instant.secondsSinceEpoch
        return union.matches(
            minute: Self.minute(ofSecond: second + Int64(zone.offsetSpan(atSecond: second).utcOffsetSeconds)))
    }

    /// Returns the minute that contains a second.
    static func minute(ofSecond second: Int64) -> Int {
        let remainder = second % 60
        return Int(second / 60) - (remainder < 0 ? 1 : 0)
    }
}
