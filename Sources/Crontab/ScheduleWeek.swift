import CivilTime

/// How much of each hour of one week a schedule is open, by the wall clock.
public struct ScheduleWeek: Hashable, Sendable {
    /// The Monday the week begins with.
    public let monday: CivilDate
    /// Seven days from Monday on, of 24 hours each: 0 to 60 open minutes.
    public let openMinutes: [[Int]]

    /// The week that a date lies in. The wall clock is taken as one that is not changed.
    public init(of schedule: Schedule, containing date: CivilDate) {
        let first = date.daysSinceEpoch - (date.weekday + 6) % 7
        let perHour = schedule.mask.minutes.nonzeroBitCount
        monday = CivilDate(daysSinceEpoch: first)
        openMinutes = (first..<first + 7).map { day in
            let isOpen = schedule.mask.days.contains(day: day)
            return (0..<24).map { isOpen && schedule.mask.hours >> UInt32($0) & 1 == 1 ? perHour : 0 }
        }
    }

    /// The week as nine lines of text: a day a line, two columns an hour; `█` is a whole hour, `▒` a part, `·` nothing.
    public var textChart: String {
        let scale = stride(from: 0, to: 24, by: 3).map { ($0 < 10 ? "0\($0)" : "\($0)") + "    " }.joined() + "24"
        let names = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
        let lines = zip(names, openMinutes).map { name, hours in
            "\(name) " + hours.map { $0 == 60 ? "██" : $0 > 0 ? "▒▒" : "· " }.joined()
        }
        return (["    " + scale] + lines + ["    █ open  ▒ open for a part of the hour  · closed"]).joined(
            separator: "\n")
    }
}
