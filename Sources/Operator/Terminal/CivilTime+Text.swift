import Odograph
import CivilTime

extension LocalTime {
    /// `09:15:02`.
    var timeText: String { "\(minuteText):\(second.twoDigits)" }
    /// `09:15`.
    var minuteText: String { "\(hour.twoDigits):\(minute.twoDigits)" }
}

extension CivilDate {
    /// `2026-11-21`.
    var text: String { "\(year)-\(month.twoDigits)-\(day.twoDigits)" }
}

extension Int {
    /// With a leading zero below 10.
    var twoDigits: String { self < 10 ? "0\(self)" : "\(self)" }
}
