import CivilTime
import Wire

/// A day of the timeline as one line of characters: 24 hours of a wall clock, each in as many columns as there is room for.
public struct DayBar: Sendable {
    /// So many days at most: a screen of them.
    private static let maximumDays = 31
    private static let margin = 12
    /// What lasts is revised once an hour at least; an event that was not for longer, nobody knows to last, seconds.
    private static let longestSilenceSeconds = 7200.0

    private let zone: ZoneRules
    private let isColored: Bool
    private let columnsPerHour: Int

    /// - Parameters:
    ///   - zone: whose wall clocks show the times.
    ///   - columns: how wide the terminal is, characters.
    ///   - isColored: whether it shows colours.
    public init(zone: ZoneRules, columns: Int, isColored: Bool) {
        self.zone = zone
        self.isColored = isColored
        columnsPerHour = min(max((columns - Self.margin) / 24, 1), 6)
    }

    /// A bar for each day of the events, the newest 31, with hours above and a legend below.
    /// - Parameters:
    ///   - events: the newest revision of each.
    ///   - now: an event that lasts is drawn up to here.
    public func text(_ events: [TimelineEventRevision], now: Timestamp) -> String {
        let spans = events.map { Span($0, now: now) }.filter { $0.start < $0.end }
        guard let first = spans.map(\.start).min(), let last = spans.map(\.end).max() else { return "" }
        let lastDay = zone.localTime(at: last.advanced(byMilliseconds: -1)).date.daysSinceEpoch
        let firstDay = max(zone.localTime(at: first).date.daysSinceEpoch, lastDay - Self.maximumDays + 1)
        let dates = (firstDay...max(firstDay, lastDay)).map { CivilDate(daysSinceEpoch: $0) }
        var kinds: [TimelineEventType] = []
        var lines = ""
        for date in dates {
            let cells = cells(of: date, spans)
            guard cells.contains(where: { $0 != nil }) else { continue }
            kinds += cells.compactMap { $0 }
            lines += "\(date.text) |\(drawn(cells))|\n"
        }
        let legend = TimelineEventType.allCases.filter(kinds.contains).map { "\(drawn([$0])) \($0.words)" }
        return hours + lines + String(repeating: " ", count: Self.margin) + legend.joined(separator: "  ") + "\n"
    }

    private var hours: String {
        let step = columnsPerHour < 3 ? 3 : 1
        var line = String(repeating: " ", count: Self.margin)
        for hour in stride(from: 0, to: 24, by: step) {
            let label = "\(hour)"
            line += label + String(repeating: " ", count: max(step * columnsPerHour - label.count, 0))
        }
        while line.last == " " { line.removeLast() }
        return line + "\n"
    }

    /// What the vehicle did for the most of each cell; nil where nothing is known of it.
    private func cells(of date: CivilDate, _ spans: [Span]) -> [TimelineEventType?] {
        let secondsPerCell = 3600 / columnsPerHour
        let midnight = LocalTime(date: date, hour: 0, minute: 0).secondsSinceEpoch
        return (0..<24 * columnsPerHour).map { cell in
            let local = midnight + Int64(cell * secondsPerCell)
            guard let begin = instant(ofLocal: local), let end = instant(ofLocal: local + Int64(secondsPerCell)),
                begin < end
            else { return nil }
            var seconds: [TimelineEventType: Double] = [:]
            for span in spans where span.start < end && begin < span.end {
                seconds[span.type, default: 0] += min(span.end, end).seconds(since: max(span.start, begin))
            }
            // In the order of the cases, so that two halves always give the same one.
            return TimelineEventType.allCases.reversed().filter { seconds[$0] != nil }
                .max { (seconds[$0] ?? 0) < (seconds[$1] ?? 0) }
        }
    }

    private func instant(ofLocal seconds: Int64) -> Timestamp? {
        switch zone.instants(of: LocalTime(secondsSinceEpoch: seconds)) {
        case .once(let instant)?, .twice(let instant, _)?, .skipped(let instant)?: instant
        case nil: nil
        }
    }

    private func drawn(_ cells: [TimelineEventType?]) -> String {
        var text = ""
        var color = ""
        for cell in cells {
            let wanted = isColored ? cell?.color ?? "" : ""
            if wanted != color { text += wanted.isEmpty ? "\u{1B}[0m" : wanted }
            color = wanted
            text += cell?.character ?? " "
        }
        return color.isEmpty ? text : text + "\u{1B}[0m"
    }

    private struct Span {
        let start: Timestamp
        let end: Timestamp
        let type: TimelineEventType

        init(_ event: TimelineEventRevision, now: Timestamp) {
            start = event.startDate
            let isHeard = now.seconds(since: event.lastUpdateDate) < DayBar.longestSilenceSeconds
            end = event.endDate ?? (isHeard ? max(now, event.lastUpdateDate) : event.lastUpdateDate)
            type = TimelineEventType(event)
        }
    }
}

extension TimelineEventType {
    /// In a bar.
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

    /// The sequence that begins its colour, ECMA-48.
    fileprivate var color: String {
        switch self {
        case .stationary: "\u{1B}[90m"
        case .vehicle: "\u{1B}[32m"
        case .bicycle: "\u{1B}[36m"
        case .onFoot: "\u{1B}[33m"
        case .transport: "\u{1B}[34m"
        case .offTheGrid: "\u{1B}[31m"
        case .unknown: "\u{1B}[35m"
        }
    }
}
