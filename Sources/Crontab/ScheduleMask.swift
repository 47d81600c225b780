import OdographCivilTime

/// The five fields of one expression as bits.
struct ScheduleMask: Hashable, Sendable {
    /// Bit `n`: minute `n` of an hour.
    var minutes: UInt64 = 0
    /// Bit `n`: hour `n` of a day.
    var hours: UInt32 = 0
    var days = DayMask()

    static let allMinutes: UInt64 = (1 << 60) - 1
    static let allHours: UInt32 = (1 << 24) - 1

    /// Whether every minute of a selected day matches.
    var coversWholeDays: Bool { minutes == Self.allMinutes && hours == Self.allHours }
}
