import OdographCivilTime

extension LocalTime {
    /// The time as `09:15:02`.
    package var timeText: String { "\(minuteText):\(second.twoDigits)" }
    /// The time as `09:15`.
    package var minuteText: String { "\(hour.twoDigits):\(minute.twoDigits)" }
}

extension ZoneRules {
    /// Returns the distance from UTC as `+01:00`.
    package func offsetText(at time: Timestamp) -> String {
        let offset = utcOffsetSeconds(at: time)
        let minutes = abs(offset) / 60
        return "\(offset < 0 ? "-" : "+")\((minutes / 60).twoDigits):\((minutes % 60).twoDigits)"
    }
}

extension CivilDate {
    /// The date as `2026-11-21`.
    package var text: String { "\(year.fourDigits)-\(month.twoDigits)-\(day.twoDigits)" }
}

extension Int {
    /// The number with a leading zero below 10.
    package var twoDigits: String { self < 10 ? "0\(self)" : "\(self)" }
    /// The number with leading zeros below 1000.
    fileprivate var fourDigits: String { (self < 1000 ? "0" : "") + (self < 100 ? "0" : "") + twoDigits }
}
