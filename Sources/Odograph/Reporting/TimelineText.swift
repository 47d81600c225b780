import CivilTime
import Wire

/// Events of the timeline as a command prints them.
public enum TimelineText {
    private static let columns = [
        TextColumn("from", width: 19), TextColumn("to", width: 8), TextColumn("lasted", width: 12, .right),
        TextColumn("what", width: 20), TextColumn("km", width: 9, .right), TextColumn("where", width: 28),
        TextColumn("tag", width: 8),
    ]

    /// The line over the table.
    static var headerText: String { TextColumn.line(columns.map(\.title), columns) }

    /// A table for a person.
    /// - Parameters:
    ///   - events: a row each.
    ///   - zone: whose wall clocks show the times.
    public static func table(_ events: [TimelineEventRevision], zone: ZoneRules) -> String {
        events.reduce(headerText) { $0 + line(of: $1, zone: zone) }
    }

    /// One event a line, as in the payload of the channel `timeline`.
    public static func jsonLines(_ events: [TimelineEventRevision]) throws -> String {
        try events.map { try JSONText.string(of: $0) + "\n" }.joined()
    }

    static func line(of event: TimelineEventRevision, zone: ZoneRules) -> String {
        let start = zone.localTime(at: event.startDate)
        let end = event.endDate.map { end in
            let local = zone.localTime(at: end)
            return local.date == start.date ? local.timeText : "\(local.date.text.suffix(5)) \(local.timeText)"
        }
        return TextColumn.line(
            [
                "\(start.date.text) \(start.timeText)", end ?? "lasts", Text.duration(seconds: event.duration),
                what(event), event.distanceInMeters.map { ($0 / 1000).text(decimals: 2) } ?? "", place(event),
                event.tag ?? "",
            ], columns)
    }

    /// `stood`, `drove by car`, `off the grid: no fix`.
    static func what(_ event: TimelineEventRevision) -> String {
        switch TimelineEventType(event) {
        case .stationary: "stood"
        case .vehicle, .bicycle, .onFoot: modeWords[event.transportMode ?? ""] ?? "on the way"
        case .transport: "on the way"
        case .offTheGrid: event.reason.flatMap { reasonWords[$0] } ?? "off the grid"
        case .unknown: "not known"
        }
    }

    private static let modeWords = [
        "CAR": "by car", "BUS": "by bus", "TRAIN": "by train", "TRAM": "by tram", "MOTORCYCLE": "by motorcycle",
        "BICYCLE": "by bicycle", "WALKING": "walking", "RUNNING": "running",
    ]

    private static let reasonWords = [
        "no_fix": "no position", "source_lost": "no receiver", "off_schedule": "off schedule",
        "disabled": "tracking was off", "power_off": "agent was off", "clock_untrusted": "time not known",
    ]

    private static func place(_ event: TimelineEventRevision) -> String {
        if let venue = event.venue {
            let name = venue.name ?? venue.identifier
            return venue.significance.map { "\(name) (\($0))" } ?? name
        }
        return event.location.map {
            "\($0.latitude.text(decimals: 5)), \($0.longitude.text(decimals: 5)) ± \($0.accuracy.text(decimals: 0)) m"
        } ?? ""
    }
}

/// What an event is, as drawings tell it.
enum TimelineEventType: CaseIterable {
    case stationary, vehicle, bicycle, onFoot, transport, offTheGrid, unknown

    init(_ event: TimelineEventRevision) {
        switch (event.type, event.transportMode) {
        case ("STATIONARY", _): self = .stationary
        case ("OFF_THE_GRID", _): self = .offTheGrid
        case ("IN_TRANSPORT", "BICYCLE"): self = .bicycle
        case ("IN_TRANSPORT", "WALKING"), ("IN_TRANSPORT", "RUNNING"): self = .onFoot
        case ("IN_TRANSPORT", nil), ("IN_TRANSPORT", "UNKNOWN"): self = .transport
        case ("IN_TRANSPORT", _): self = .vehicle
        default: self = .unknown
        }
    }

    /// In the words of a legend.
    var words: String {
        switch self {
        case .stationary: "standing"
        case .vehicle: "in a vehicle"
        case .bicycle: "by bicycle"
        case .onFoot: "on foot"
        case .transport: "on the way"
        case .offTheGrid: "off the grid"
        case .unknown: "not known"
        }
    }
}

extension LocalTime {
    /// `09:15:02`.
    var timeText: String { [hour, minute, second].map(\.twoDigits).joined(separator: ":") }
}

extension CivilDate {
    /// `2026-11-21`.
    var text: String { "\(year)-\(month.twoDigits)-\(day.twoDigits)" }
}

extension Int {
    fileprivate var twoDigits: String { self < 10 ? "0\(self)" : "\(self)" }
}
