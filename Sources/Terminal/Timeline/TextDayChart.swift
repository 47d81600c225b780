import OdographCivilTime
import OdographWire

/// A chart of the timeline with one line per day: 24 hours of a wall clock, in the available columns.
public struct TextDayChart: Sendable {
    /// The maximum number of days, which fit on a screen.
    private static let maximumDays = 31
    /// The width of the date, a space and the first bar character.
    private static let margin = 12

    private let zone: ZoneRules
    private let isColored: Bool
    private let columns: Int
    /// The number of characters per day: a multiple of 8, so that every third hour begins with a character.
    private let cellCount: Int

    /// - Parameters:
    ///   - zone: the time zone of the chart.
    ///   - columns: the width of the terminal, characters.
    ///   - isColored: whether to use colours.
    public init(zone: ZoneRules, columns: Int, isColored: Bool) {
        self.zone = zone
        self.isColored = isColored
        self.columns = columns
        // A character is between an hour and five minutes.
        cellCount = min(max((columns - Self.margin - 1) / 8 * 8, 24), 288)
    }

    /// Returns a bar for each of the newest 31 days of the events, with hours above and a legend below.
    /// - Parameters:
    ///   - events: the newest revision of each event.
    ///   - now: the current time, up to which an open event is drawn.
    public func text(_ events: [TimelineEventRevision], now: Timestamp) -> TerminalText {
        let spans = events.map { span($0, now: now) }.filter { $0.start < $0.end }
        guard let first = spans.map(\.start).min(), let last = spans.map(\.end).max() else {
            return TerminalText()
        }
        let lastDay = day(of: last.advanced(byMilliseconds: -1))
        let firstDay = max(day(of: first), lastDay - Self.maximumDays + 1)
        var kinds: [TimelineEventCategory] = []
        var text = TerminalText(hours)
        for day in firstDay...max(firstDay, lastDay) {
            let date = CivilDate(daysSinceEpoch: day)
            let there = spans.filter { self.day(of: $0.start) <= day && day <= self.day(of: $0.end) }
            let types = DayCells(of: date, there, count: cellCount, zone: zone).types
            guard types.contains(where: { $0 != nil }) else { continue }
            kinds += types.compactMap { $0 }
            text.append("\(date.text) |")
            text.append(rendered(types))
            text.append("|\n")
        }
        text.append(legend(of: Set(kinds)))
        return text
    }

    private func day(of time: Timestamp) -> Int { zone.localTime(at: time).date.daysSinceEpoch }

    private func span(_ event: TimelineEventRevision, now: Timestamp) -> DayCells.Span {
        DayCells.Span(start: event.startDate, end: event.knownEnd(at: now), type: TimelineEventCategory(event))
    }

    private var hours: String {
        var line = String(repeating: " ", count: Self.margin)
        for hour in stride(from: 0, to: 24, by: cellCount < 72 ? 3 : 1) {
            line = line.padded(to: Self.margin + hour * cellCount / 24) + "\(hour)"
        }
        return line + "\n"
    }

    /// Returns a legend of the categories, and the duration of a character, in as many lines as needed.
    private func legend(of kinds: Set<TimelineEventCategory>) -> TerminalText {
        let words = TimelineEventCategory.allCases.filter(kinds.contains).map {
            (sign: rendered([$0]), width: 1, text: " \($0.label)")
        }
        let scale = "one character is \(Format.duration(seconds: 86_400 / Double(cellCount)))"
        let margin = String(repeating: " ", count: Self.margin)
        var lines = TerminalText()
        var length = 0
        for (sign, signWidth, text) in words + [(sign: TerminalText(), width: 0, text: scale)] {
            let width = signWidth + text.count
            let goesOn = length > 0 && length + 2 + width <= columns
            lines.append(goesOn ? "  " : (length > 0 ? "\n" : "") + margin)
            lines.append(sign)
            lines.append(text)
            length = (goesOn ? length + 2 : margin.count) + width
        }
        lines.append("\n")
        return lines
    }

    private func rendered(_ cells: [TimelineEventCategory?]) -> TerminalText {
        var text = TerminalText()
        var color: TerminalSequence?
        for cell in cells {
            let wanted = isColored ? cell?.color : nil
            if wanted != color { text.append(wanted ?? .reset) }
            color = wanted
            text.append(cell?.character ?? " ")
        }
        if color != nil { text.append(.reset) }
        return text
    }
}

extension TimelineEventCategory {
    /// The character in a bar.
    fileprivate var character: String {
        switch self {
        case .stationary: "."
        case .vehicle: "#"
        case .bicycle: "o"
        case .onFoot: "w"
        case .transport: "="
        case .offTheGrid: "x"
        case .unknown: "?"
        }
    }

    /// The colour in a bar.
    fileprivate var color: TerminalSequence {
        switch self {
        case .stationary: .gray
        case .vehicle: .green
        case .bicycle: .cyan
        case .onFoot: .yellow
        case .transport: .blue
        case .offTheGrid: .red
        case .unknown: .magenta
        }
    }
}
