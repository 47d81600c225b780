import CivilTime

/// A crontab expression read as a mask over the minutes of a wall clock: in every minute that matches, the schedule is
/// open. `* 10-20 * * 1-5` is open until 20:59:59.
///
/// Parsed once into bits; no query allocates. A minute that a zone's clocks skip does not exist, one that they show
/// twice counts both times.
public struct Schedule: Hashable, Sendable {
    /// The expression as it was given.
    public let expression: String
    let mask: ScheduleMask
    /// Whether it is open in every minute there is.
    public let isAlwaysOpen: Bool

    /// - Parameter expression: five fields (minute, hour, day of month, month, weekday) or a macro such as `@daily`.
    /// - Throws: ``ScheduleError`` naming the field at fault, its text and what would be right.
    public init(_ expression: String) throws(ScheduleError) {
        var parser = ScheduleParser(expression: expression)
        self.expression = expression
        mask = try parser.parse()
        isAlwaysOpen = mask.alwaysMatches
    }

    /// Whether the schedule is open in a minute of the wall clock; the second does not matter.
    public func isOpen(at local: LocalTime) -> Bool {
        mask.matches(local.date, hour: local.hour, minute: local.minute)
    }

    /// Whether the schedule is open at an instant in a zone.
    public func isOpen(at instant: Timestamp, in zone: ZoneRules) -> Bool {
        let second = instant.secondsSinceEpoch
        return mask.matches(
            minute: Self.minute(ofSecond: second + Int64(zone.offsetSpan(atSecond: second).utcOffsetSeconds)))
    }

    /// The minute that a second lies in.
    static func minute(ofSecond second: Int64) -> Int {
        let remainder = second % 60
        return Int(second / 60) - (remainder < 0 ? 1 : 0)
    }
}
