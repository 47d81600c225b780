import Odograph
import OdographCivilTime
import OdographTerminal
import OdographWire

/// Writes a table with one line per location, in km and km/h, and then a table of the timeline events.
struct TableWriter: AnalysisWriter {
    private var events = LatestEvents()

    private static let columns = [
        TextColumn("time (UTC)", width: 19), TextColumn("event", width: 14), TextColumn("latitude", width: 10, .right),
        TextColumn("longitude", width: 11, .right), TextColumn("± m", width: 5, .right),
        TextColumn("km/h", width: 6, .right), TextColumn("dir", width: 4, .right),
        TextColumn("activity", width: 15), TextColumn("km", width: 10, .right), TextColumn("± km", width: 7, .right),
    ]

    /// The same columns for a terminal. Time and position are never dropped.
    static var fittingColumns: [TextTable.Column] {
        let orders = [0, 1, 0, 0, 3, 2, 6, 4, 5, 7]
        return zip(columns, orders).map { TextTable.Column($0.title, $0.alignment, dropOrder: $1) }
    }

    static var headerText: String { TextColumn.line(columns.map(\.title), columns) }

    static func line(of location: LocationEvent) -> String { TextColumn.line(cells(of: location), columns) }

    func header() -> [UInt8] { Array(Self.headerText.utf8) }

    mutating func bytes(of record: Analyzer.Record) -> [UInt8] {
        if let event = record.message.timelineEvent { events.insert(event) }
        return record.message.location.map { Array(Self.line(of: $0).utf8) } ?? []
    }

    func footer(of summary: AnalysisSummary) -> [UInt8] {
        guard !events.isEmpty else { return [] }
        let note = events.omittedCount > 0 ? "\(Format.grouped(events.omittedCount)) earlier events are omitted\n" : ""
        return Array(("\n" + note + TimelineFormatter.table(events.sortedByStart, zone: .utc)).utf8)
    }

    private static func eventText(of location: LocationEvent) -> String {
        if let geofence = location.geofence { return "\(geofence.action) \(geofence.identifier)" }
        if let driving = location.driving { return driving.text }
        if let beacon = location.beacon { return "\(beacon.action) \(beacon.identifier)" }
        if location.clockUntrusted == true { return TimelineFormatter.unknownTime }
        return location.event?.rawValue ?? (location.isMoving ? "" : "stationary")
    }

    static func cells(of location: LocationEvent) -> [String] {
        let coords = location.coords
        return [
            Format.time(location.timestamp), eventText(of: location),
            coords.latitude.formatted(decimals: 5), coords.longitude.formatted(decimals: 5),
            coords.accuracy < 0 ? "?" : coords.accuracy.formatted(decimals: 0),
            coords.speed < 0 ? "?" : (coords.speed * 3.6).formatted(decimals: 1),
            coords.heading < 0 ? "?" : "\(coords.heading.formatted(decimals: 0))°",
            location.activity.type == .unknown
                ? "?" : "\(location.activity.type) \(location.activity.confidence)",
            (location.odometer / 1000).formatted(decimals: 3), (location.odometerError / 1000).formatted(decimals: 3),
        ]
    }
}
