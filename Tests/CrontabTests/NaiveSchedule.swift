import OdographCivilTime

/// A second implementation of the union of schedules.
struct NaiveUnion: NaiveMinutes {
    private let parts: [NaiveSchedule]

    init(_ expressions: [String]) { parts = expressions.map(NaiveSchedule.init) }

    func matches(_ local: LocalTime) -> Bool { parts.contains { $0.matches(local) } }
}

/// A second implementation of schedules, with sets and text and a search minute by minute: slow, and as different as
/// possible from the tested one.
struct NaiveSchedule: NaiveMinutes {
    private let minutes: Set<Int>
    private let hours: Set<Int>
    private let months: Set<Int>
    private let dayField: String
    private let weekdayField: String

    init(_ expression: String) {
        let fields = expression.uppercased().split { $0 == " " || $0 == "\t" }.map(String.init)
        minutes = Self.numbers(fields[0], 0...59)
        hours = Self.numbers(fields[1], 0...23)
        months = Self.numbers(fields[3], 1...12)
        dayField = fields[2]
        weekdayField = fields[4]
    }

    func matches(_ local: LocalTime) -> Bool {
        guard minutes.contains(local.minute), hours.contains(local.hour), months.contains(local.date.month) else {
            return false
        }
        let isLast = CivilDate(daysSinceEpoch: local.date.daysSinceEpoch + 1).day == 1
        let day = dayField.split(separator: ",").contains { item in
            item == "L" ? isLast : Self.numbers(String(item), 1...31).contains(local.date.day)
        }
        let weekday = weekdayField.split(separator: ",").contains { item in
            let parts = item.split(separator: "#")
            let isWeekday = Set(Self.numbers(String(parts[0]), 0...7).map { $0 % 7 }).contains(local.date.weekday)
            return isWeekday && (parts.count == 1 || Int(parts[1]) == (local.date.day + 6) / 7)
        }
        let isStarred = dayField.hasPrefix("*") || weekdayField.hasPrefix("*")
        return isStarred ? day && weekday : day || weekday
    }

    private static func numbers(_ field: String, _ all: ClosedRange<Int>) -> Set<Int> {
        var result: Set<Int> = []
        for item in field.split(separator: ",") {
            let parts = item.split(separator: "/")
            let step = parts.count == 2 ? Int(parts[1]) ?? 1 : 1
            let ends = parts[0].split(separator: "-").compactMap { Int($0) }
            let first = ends.first ?? all.lowerBound
            let isOpenEnded = parts[0] == "*" || (ends.count == 1 && parts.count == 2)
            let last = isOpenEnded ? all.upperBound : ends.last ?? first
            result.formUnion(stride(from: first, through: last, by: step))
        }
        return result
    }
}

protocol NaiveMinutes {
    func matches(_ local: LocalTime) -> Bool
}

extension NaiveMinutes {
    /// Returns the first change within a number of minutes. A minute of a zone transition is searched by the second.
    func nextChange(after instant: Timestamp, in zone: ZoneRules, withinMinutes limit: Int) -> Timestamp? {
        let start = instant.secondsSinceEpoch
        let isOpen = matches(zone.localTime(at: instant))
        for second in Array(start + 1..<start + 60) where at(second, zone) != isOpen { return instantOf(second) }
        // From here on by the minute of UTC: the tested zones and years have offsets of whole minutes.
        var second = (start / 60 + 1) * 60
        for _ in 0..<limit {
            if at(second, zone) != isOpen { return instantOf(second) }
            second += 60
        }
        return nil
    }

    private func at(_ second: Int64, _ zone: ZoneRules) -> Bool { matches(zone.localTime(at: instantOf(second))) }

    private func instantOf(_ second: Int64) -> Timestamp { Timestamp(millisecondsSinceEpoch: second * 1000) }
}
