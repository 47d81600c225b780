import OdographCivilTime

/// The open minutes in each hour of one week, by the wall clock.
public struct ScheduleWeek: Hashable, Sendable {
    /// The first day of the week.
    public let monday: CivilDate
    /// The open minutes, 0 to 60, for seven days from Monday on with 24 hours each.
    public let openMinutes: [[Int]]

    /// Creates the week that contains a date. Changes of the clock are ignored.
    public init(of schedule: Schedule, containing date: CivilDate) {
        let first = date.daysSinceEpoch - (date.weekday + 6) % 7
        monday = CivilDate(daysSinceEpoch: first)
        openMinutes = (first..<first + 7).map { day in
            (0..<24).map { schedule.union.minutes(ofHour: $0, onDay: day).nonzeroBitCount }
        }
    }

    /// The week as nine lines of text, with a line per day and two columns per hour: `█` for a whole hour, `▒` for a
    /// part of an hour, `·` for a closed hour.
    public var textChart: String { textChart(width: nil) }

    /// Returns the chart for a width: with less than 52 characters, an hour is one character.
    /// - Parameter width: The maximum number of characters per line; nil: no limit.
    package func textChart(width: Int?) -> String {
        if let width, width < 52 { return narrowChart }
        let scale = stride(from: 0, to: 24, by: 3).map { ($0 < 10 ? "0\($0)" : "\($0)") + "    " }.joined() + "24"
        let names = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
        let lines = zip(names, openMinutes).map { name, hours in
            "\(name) " + hours.map { $0 == 60 ? "██" : $0 > 0 ? "▒▒" : "· " }.joined()
        }
        return (["    " + scale] + lines + ["    █ open  ▒ open for a part of the hour  · closed"]).joined(
            separator: "\n")
    }

    private var narrowChart: String {
        let scale = stride(from: 0, to: 24, by: 3).map { "\($0)" + ($0 < 10 ? "  " : " ") }.joined() + "24"
        let names = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
        let lines = zip(names, openMinutes).map { name, hours in
            "\(name) " + hours.map { $0 == 60 ? "█" : $0 > 0 ? "▒" : "·" }.joined()
        }
        let legend = ["█ open  · closed", "▒ open for a part of the hour"].map { "    " + $0 }
        return (["    " + scale] + lines + legend).joined(separator: "\n")
    }
}
