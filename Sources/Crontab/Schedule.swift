import OdographCivilTime

/// A crontab expression that defines the open minutes of a wall clock: `* 10-20 * * 1-5` is open until 20:59:59.
///
/// The expression is parsed once into bits; queries do not allocate. A minute that a zone's clocks skip does not exist;
/// a minute that they repeat counts both times.
public struct Schedule: Hashable, Sendable {
    /// The original expression.
    public let expression: String
    let mask: ScheduleMask
    /// Whether the schedule is open in every minute.
    public let isAlwaysOpen: Bool

    /// Parses a schedule.
    /// - Parameter expression: Five fields (minute, hour, day of month, month, weekday) or a macro such as `@daily`.
    /// - Throws: ``ScheduleError`` with the field, its text and the remedy.
    public init(_ expression: String) throws(ScheduleError) {
        var parser = ScheduleParser(expression: expression)
        self.expression = expression
        mask = try parser.parse()
        isAlwaysOpen = mask.alwaysMatches
    }

    /// Whether the schedule is open at an instant in a zone.
    public func isOpen(at instant: Timestamp, in zone: ZoneRules) -> Bool {
        let second = instant.secondsSinceEpoch
        return mask.matches(
            minute: Self.minute(ofSecond: second + Int64(zone.offsetSpan(atSecond: second).utcOffsetSeconds)))
    }

    /// Returns the minute that contains a second.
    static func minute(ofSecond second: Int64) -> Int {
        let remainder = second % 60
        return Int(second / 60) - (remainder < 0 ? 1 : 0)
    }
}
