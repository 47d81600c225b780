import Odograph
import OdographCivilTime
import OdographTerminal
import OdographWire

/// A chart with one bar of 24 hours (UTC) per day, and a legend.
struct DayChart {
    let events: [TimelineEventRevision]

    private static let width = 960.0
    private static let left = 104.0
    private static let right = 16.0
    private static let top = 22.0
    private static let rowHeight = 30.0
    /// The most days in a chart. Earlier days are omitted.
    private static let maximumDays = 62

    var svg: String {
        let spans = events.map { (start: $0.startDate, end: $0.endDate ?? $0.lastUpdateDate, event: $0) }
        guard let first = spans.map(\.start).min(), let last = spans.map(\.end).max() else { return "" }
        let lastDay = Self.day(last.advanced(byMilliseconds: -1))
        let firstDay = max(Self.day(first), lastDay - Self.maximumDays + 1)
        let days = (firstDay...max(firstDay, lastDay)).filter { day in
            spans.contains { Self.day($0.start) <= day && day <= Self.day($0.end) }
        }
        let height = Self.top + Double(days.count) * Self.rowHeight + 34
        var content = hourGrid(rows: days.count)
        for (row, day) in days.enumerated() {
            let y = Self.top + Double(row) * Self.rowHeight + 4
            content += Markup.text(CivilDate(daysSinceEpoch: day).text, x: Self.left - 10, y: y + 15, anchor: "end")
            content += "<rect class=\"ground\" \(Self.rectangleAttributes(0, 86_400, y))/>"
            for span in spans { content += rectangle(span.event, span.start, span.end, day: day, y: y) }
        }
        return Markup.svg(
            content + legend(y: height - 16), width: Self.width, height: height, name: "timeline, one row per day")
    }

    private func hourGrid(rows: Int) -> String {
        var content = Markup.text("h, UTC", x: Self.left - 10, y: Self.top - 6, anchor: "end")
        for hour in stride(from: 0, through: 24, by: 2) {
            let x = Self.x(Double(hour) * 3600)
            content += Markup.line(x, Self.top, x, Self.top + Double(rows) * Self.rowHeight, style: "grid")
            content += Markup.text("\(hour)", x: x, y: Self.top - 6)
        }
        return content
    }

    private func rectangle(
        _ event: TimelineEventRevision, _ start: Timestamp, _ end: Timestamp, day: Int, y: Double
    ) -> String {
        let midnight = Timestamp(millisecondsSinceEpoch: Int64(day) * 86_400_000)
        let (from, to) = (max(start.seconds(since: midnight), 0), min(end.seconds(since: midnight), 86_400))
        guard from < to else { return "" }
        let title =
            "\(Format.time(start)), \(Format.duration(seconds: event.duration)): \(TimelineFormatter.activityText(event))"
        return
            "<rect class=\"\(TimelineEventCategory(event).cssClass) fill\" \(Self.rectangleAttributes(from, to, y))><title>"
            + Markup.escaped(title) + "</title></rect>"
    }

    private func legend(y: Double) -> String {
        let present = Set(events.map { TimelineEventCategory($0) })
        var x = Self.left
        var text = ""
        for type in TimelineEventCategory.allCases where present.contains(type) {
            text += "<rect class=\"\(type.cssClass) fill\" x=\"\(Markup.number(x))\" y=\"\(Markup.number(y - 10))\" "
            text += "width=\"12\" height=\"12\" rx=\"2\"/>"
            text += Markup.text(type.label, x: x + 18, y: y, anchor: "start")
            x += 40 + 9 * Double(type.label.count)
        }
        return text
    }

    private static func day(_ time: Timestamp) -> Int {
        LocalTime(secondsSinceEpoch: time.secondsSinceEpoch).date.daysSinceEpoch
    }

    private static func x(_ second: Double) -> Double { left + second / 86_400 * (width - left - right) }

    private static func rectangleAttributes(_ from: Double, _ to: Double, _ y: Double) -> String {
        "x=\"\(x(from).formatted(decimals: 2))\" y=\"\(Markup.number(y))\" "
            + "width=\"\(max(x(to) - x(from), 0.75).formatted(decimals: 2))\" height=\"\(Markup.number(rowHeight - 8))\""
    }
}

extension TimelineEventCategory {
    /// The CSS class of the category.
    var cssClass: String {
        switch self {
        case .stationary: "stationary"
        case .vehicle: "vehicle"
        case .bicycle: "bicycle"
        case .onFoot: "foot"
        case .transport: "transport"
        case .offTheGrid: "grid-off"
        case .unknown: "unknown"
        }
    }
}
