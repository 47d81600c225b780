import OdographCivilTime

extension LocalTime {
    /// The time as `09:15:02`.
    package var timeText: String { "\(minuteText):\(second.twoDigits)" }
    /// The time as `09:15`.
    package var minuteText: String { "\(hour.twoDigits):\(minute.twoDigits)" }
}

extension CivilDate {
    /// The date as `2026-11-21`.
    package var text: String { "\(year)-\(month.twoDigits)-\(day.twoDigits)" }
}

extension Int {
    /// The number with a leading zero below 10.
    package var twoDigits: String { self < 10 ? "0\(self)" : "\(self)" }
}
