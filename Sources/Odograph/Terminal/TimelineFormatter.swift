import CivilTime
import OdographJSON
import Wire

/// Events of the timeline as a command prints them.
public enum TimelineFormatter {
    private static let columns = [
        TextColumn("from", width: 19), TextColumn("to", width: 8), TextColumn("lasted", width: 12, .right),
        TextColumn("what", width: 20), TextColumn("km", width: 9, .right), TextColumn("where", width: 28),
        TextColumn("tag", width: 8),
    ]

    /// The same for a terminal of 80 columns: the date stands above the rows of a day, and a place is said to ten metres.
    private static let narrowColumns = [
        TextColumn("from", width: 8), TextColumn("to", width: 14), TextColumn("lasted", width: 11, .right),
        TextColumn("what", width: 13), TextColumn("km", width: 6, .right), TextColumn("where", width: 18),
        TextColumn("", width: 8),
    ]
    private static let wideTableWidth = 115

    /// The least, for a terminal of 40 columns: to the minute.
    private static let minimalColumns = [
        TextColumn("from", width: 5), TextColumn("to", width: 5), TextColumn("what", width: 13),
        TextColumn("km", width: 6, .right),
    ]
    private static let narrowTableWidth = 80

    /// The line over the table.
    static var headerText: String { TextColumn.line(columns.map(\.title), columns) }

    /// A table for a person.
    /// - Parameters:
    ///   - events: a row each.
    ///   - zone: whose wall clocks show the times.
    ///   - now: an event that lasts has lasted up to here; nil: up to where it was told of.
    ///   - width: how wide the terminal is, characters; nil where there is none that would break the lines.
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
                    + cells(of: event, zone: zone, place: placeText(event, hasAccuracy: false))
            }
        }
        return dailyTable(events, zone: zone, minimalColumns) { event in
            [
                zone.localTime(at: event.startDate).minuteText, endText(of: event, zone: zone, toTheMinute: true),
                activityText(event), kilometers(event),
            ]
        }
    }

    /// A table where the date stands above the rows of a day.
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

    /// One event a line, as in the payload of the channel `timeline`.
    public static func jsonLines(_ events: [TimelineEventRevision]) throws -> String {
        try events.map { try JSONCoder.string(of: $0) + "\n" }.joined()
    }

    static func line(of event: TimelineEventRevision, zone: ZoneRules) -> String {
        let date = zone.localTime(at: event.startDate).date.text
        return TextColumn.line(
            ["\(date) \(clockText(event.startDate, zone))"] + cells(of: event, zone: zone, place: placeText(event)),
            columns)
    }

    /// What stands behind its beginning.
    private static func cells(of event: TimelineEventRevision, zone: ZoneRules, place: String) -> [String] {
        [
            endText(of: event, zone: zone), Format.duration(seconds: event.duration), activityText(event),
            kilometers(event), place, event.tag ?? "",
        ]
    }

    private static func kilometers(_ event: TimelineEventRevision) -> String {
        event.distanceInMeters.map { ($0 / 1000).formatted(decimals: 2) } ?? ""
    }

    /// What the zone's clock shows; where it shows it twice, with the hours that it is ahead of UTC: `02:30:00+01`.
    private static func clockText(_ time: Timestamp, _ zone: ZoneRules) -> String {
        let local = zone.localTime(at: time)
        guard case .twice? = zone.instants(of: local) else { return local.timeText }
        let minutes = zone.utcOffsetSeconds(at: time) / 60
        let hours = "\(minutes < 0 ? "-" : "+")\((abs(minutes) / 60).twoDigits)"
        return local.timeText + hours + (minutes % 60 == 0 ? "" : (abs(minutes) % 60).twoDigits)
    }

    /// When it ended: with the date only where it is another one than that of its beginning.
    static func endText(of event: TimelineEventRevision, zone: ZoneRules, toTheMinute: Bool = false) -> String {
        guard let end = event.endDate else { return "lasts" }
        let local = zone.localTime(at: end)
        let start = zone.localTime(at: event.startDate).date
        let time = toTheMinute ? local.minuteText : clockText(end, zone)
        if local.date == start { return time }
        return "\(local.date.year == start.year ? String(local.date.text.suffix(5)) : local.date.text) \(time)"
    }

    /// `stood`, `drove by car`, `off the grid: no fix`.
    static func activityText(_ event: TimelineEventRevision) -> String {
        switch TimelineEventCategory(event) {
        case .stationary: "stood"
        case .vehicle, .bicycle, .onFoot: modeLabels[event.transportMode ?? ""] ?? "on the way"
        case .transport: "on the way"
        case .offTheGrid: event.reason.flatMap { reasonLabels[$0] } ?? "off the grid"
        case .unknown: event.withdrawn == true ? "withdrawn" : "not known"
        }
    }

    private static let modeLabels = [
        "CAR": "by car", "BUS": "by bus", "TRAIN": "by train", "TRAM": "by tram", "MOTORCYCLE": "by motorcycle",
        "BICYCLE": "by bicycle", "WALKING": "walking", "RUNNING": "running",
    ]

    /// Where nobody could tell the time.
    static let unknownTime = "time not known"

    private static let reasonLabels = [
        "no_fix": "no position", "source_lost": "no receiver", "off_schedule": "off schedule",
        "disabled": "tracking was off", "power_off": "agent was off", "clock_untrusted": unknownTime,
    ]

    /// Where it was, by the venue's name where there is one.
    static func placeText(_ event: TimelineEventRevision, hasAccuracy: Bool = true) -> String {
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
    /// By default what lasts is revised once an hour at least (`tracking.heartbeat_interval`): an event that was not for
    /// twice as long nobody knows to last, seconds.
    private static let maximumUpdateGapSeconds = 7200.0

    /// Where it ended, or up to where it is known to last.
    func knownEnd(at now: Timestamp) -> Timestamp {
        if let endDate { return endDate }
        return now.seconds(since: lastUpdateDate) < Self.maximumUpdateGapSeconds
            ? max(now, lastUpdateDate) : lastUpdateDate
    }

    /// The same with the length that it has now, if it lasts.
    fileprivate func extended(to now: Timestamp) -> TimelineEventRevision {
        guard endDate == nil else { return self }
        var event = self
        event.duration = max(knownEnd(at: now).seconds(since: startDate), 0)
        return event
    }
}
