import OdographCivilTime
import OdographJSON
import OdographWire

/// Formats timeline events for output.
public enum TimelineFormatter {
    private static let columns = [
        TextColumn("from", width: 19), TextColumn("to", width: 8), TextColumn("duration", width: 12, .right),
        TextColumn("activity", width: 20), TextColumn("km", width: 9, .right), TextColumn("place", width: 28),
        TextColumn("tag", width: 8),
    ]

    /// Columns for a terminal of 80 columns. The date is above the rows of a day; a position has four decimals (10 m).
    private static let narrowColumns = [
        TextColumn("from", width: 8), TextColumn("to", width: 14), TextColumn("duration", width: 11, .right),
        TextColumn("activity", width: 13), TextColumn("km", width: 6, .right), TextColumn("place", width: 18),
        TextColumn("", width: 8),
    ]
    private static let wideTableWidth = 115

    /// Columns for a terminal of 40 columns. Times have no seconds.
    private static let minimalColumns = [
        TextColumn("from", width: 5), TextColumn("to", width: 5), TextColumn("activity", width: 13),
        TextColumn("km", width: 6, .right),
    ]
    private static let narrowTableWidth = 80

    /// The line above the table.
    static var headerText: String { TextColumn.line(columns.map(\.title), columns) }

    /// Returns a table.
    /// - Parameters:
    ///   - events: the events, one per row.
    ///   - zone: the time zone of the times.
    ///   - now: the current time, up to which an open event lasts; nil: up to its last revision.
    ///   - width: the width of the terminal, characters; nil if the output is not a terminal.
    public static func table(
        _ events: [TimelineEventRevision], zone: ZoneRules, now: Timestamp? = nil, width: Int? = nil
    ) -> String {
        let events = events.map { event in now.map { event.extended(to: $0) } ?? event }
        guard let width, width < wideTableWidth else {
            return events.reduce(headerText) { $0 + line(of: $1, zone: zone) }
        }
        guard width < narrowTableWidth else {
            return dailyTable(events, zone: zone, narrowColumns) { event in
                [clockText(event.startDate, zone)]
                    + cells(of: event, zone: zone, place: detailText(event, hasAccuracy: false))
            }
        }
        let table = dailyTable(events, zone: zone, minimalColumns) { event in
            [
                zone.localTime(at: event.startDate).minuteText, endText(of: event, zone: zone, toTheMinute: true),
                activityText(event), kilometers(event),
            ]
        }
        // An event that lasts from one year to the next has a longer time of its end.
        return table.split(separator: "\n").map { Format.cut(String($0), to: width) + "\n" }.joined()
    }

    /// Returns a table in which the date is above the rows of a day.
    private static func dailyTable(
        _ events: [TimelineEventRevision], zone: ZoneRules, _ columns: [TextColumn],
        cells: (TimelineEventRevision) -> [String]
    ) -> String {
        var text = TextColumn.line(columns.map(\.title), columns)
        var date: CivilDate?
        for event in events {
            let start = zone.localTime(at: event.startDate).date
            if start != date { text += "\(start.text)\n" }
            date = start
            text += TextColumn.line(cells(event), columns)
        }
        return text
    }

    /// Returns one event per line, as in the payload of the channel `timeline`.
    public static func jsonLines(_ events: [TimelineEventRevision]) throws -> String {
        try events.map { try JSONCoder.string(of: $0) + "\n" }.joined()
    }

    static func line(of event: TimelineEventRevision, zone: ZoneRules) -> String {
        let date = zone.localTime(at: event.startDate).date.text
        return TextColumn.line(
            ["\(date) \(clockText(event.startDate, zone))"] + cells(of: event, zone: zone, place: detailText(event)),
            columns)
    }

    /// Returns the cells after the start time.
    private static func cells(of event: TimelineEventRevision, zone: ZoneRules, place: String) -> [String] {
        [
            endText(of: event, zone: zone), Format.duration(seconds: event.duration), activityText(event),
            kilometers(event), place, event.tag ?? "",
        ]
    }

    /// Returns the distance of a trip or a gap, metres. What was driven within the place of a stop is no way.
    package static func wayMeters(_ event: TimelineEventRevision) -> Double? {
        event.type == .inTransport || event.type == .offTheGrid ? event.distanceInMeters : nil
    }

    /// Returns the same in kilometres, empty where there is none.
    package static func kilometers(_ event: TimelineEventRevision) -> String {
        // The distance of a gap is an estimate.
        let mark = event.type == .offTheGrid ? "~" : ""
        return wayMeters(event).map { mark + ($0 / 1000).formatted(decimals: 2) } ?? ""
    }

    /// Returns the wall clock time. If it occurs twice, the UTC offset follows: `02:30:00+01`.
    private static func clockText(_ time: Timestamp, _ zone: ZoneRules) -> String {
        let local = zone.localTime(at: time)
        guard case .twice? = zone.instants(of: local) else { return local.timeText }
        let offset = zone.offsetText(at: time).split(separator: ":")
        return local.timeText + offset.filter { $0 != "00" }.joined()
    }

    /// Returns the end time. The date is included only if it differs from that of the start.
    package static func endText(of event: TimelineEventRevision, zone: ZoneRules, toTheMinute: Bool = false) -> String {
        guard let end = event.endDate else { return "open" }
        let local = zone.localTime(at: end)
        let start = zone.localTime(at: event.startDate).date
        let time = toTheMinute ? local.minuteText : clockText(end, zone)
        if local.date == start { return time }
        return "\(local.date.year == start.year ? String(local.date.text.suffix(5)) : local.date.text) \(time)"
    }

    /// Returns `stationary`, `by car`, `no position` and the like.
    package static func activityText(_ event: TimelineEventRevision) -> String {
        switch TimelineEventCategory(event) {
        case .stationary: "stationary"
        case .vehicle, .bicycle, .onFoot: event.transportMode.flatMap { modeLabels[$0] } ?? "in transit"
        case .transport: "in transit"
        case .offTheGrid: event.reason.flatMap { reasonLabels[$0] } ?? "off the grid"
        case .unknown: event.withdrawn == true ? "withdrawn" : "unknown"
        }
    }

    private static let modeLabels: [TimelineEventRevision.TransportMode: String] = [
        .car: "by car", .bus: "by bus", .train: "by train", .tram: "by tram", .motorcycle: "by motorcycle",
        .bicycle: "by bicycle", .walking: "walking", .running: "running",
    ]

    /// The text for an unknown time.
    package static let unknownTime = "time unknown"

    private static let reasonLabels: [TimelineEventRevision.GapReason: String] = [
        .noFix: "no position", .sourceLost: "no receiver", .offSchedule: "off schedule",
        .disabled: "tracking was off", .powerOff: "agent was off", .clockUntrusted: unknownTime,
    ]

    /// Returns the place of a stop, or the harsh driving and the beacons of a trip.
    private static func detailText(_ event: TimelineEventRevision, hasAccuracy: Bool = true) -> String {
        var parts = event.beacons ?? []
        if let count = event.driving?.harshCount, count > 0 {
            parts.insert("\(count) harsh event\(count == 1 ? "" : "s")", at: 0)
        }
        return parts.isEmpty ? placeText(event, hasAccuracy: hasAccuracy) : parts.joined(separator: ", ")
    }

    /// Returns the place of an event: the name of its venue, else its position.
    package static func placeText(_ event: TimelineEventRevision, hasAccuracy: Bool = true) -> String {
        if let venue = event.venue {
            let name = venue.name ?? venue.identifier
            return venue.significance.map { "\(name) (\($0))" } ?? name
        }
        guard let location = event.location else { return "" }
        let decimals = hasAccuracy ? 5 : 4
        let point =
            "\(location.latitude.formatted(decimals: decimals)), \(location.longitude.formatted(decimals: decimals))"
        return hasAccuracy ? "\(point) ± \(location.accuracy.formatted(decimals: 0)) m" : point
    }
}

extension TimelineEventRevision {
    /// The time after the last revision for which an event is assumed to continue, seconds. By default an open event is
    /// revised at least once an hour (`tracking.heartbeat_interval`); this is twice as long.
    private static let maximumUpdateGapSeconds = 7200.0

    /// Returns the end of the event, or the time up to which it is known to continue.
    func knownEnd(at now: Timestamp) -> Timestamp {
        if let endDate { return endDate }
        return now.seconds(since: lastUpdateDate) < Self.maximumUpdateGapSeconds
            ? max(now, lastUpdateDate) : lastUpdateDate
    }

    /// Returns the event with its current duration if it is open.
    fileprivate func extended(to now: Timestamp) -> TimelineEventRevision {
        guard endDate == nil else { return self }
        var event = self
        event.duration = max(knownEnd(at: now).seconds(since: startDate), 0)
        return event
    }
}
