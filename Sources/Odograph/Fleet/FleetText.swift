import CivilTime
import Wire

extension FleetDesk.Vehicle {
    /// Whether the newest document of every level is in force, in a few words.
    public var configurationInWords: String {
        guard let report else { return "unknown" }
        if !report.errors.isEmpty { return Text.count(report.errors.count, "error", "errors") }
        return report.levels.isEmpty
            ? "local file"
            : report.levels.map { level in
                level.level + (level.version.map { " \($0)" } ?? "")
            }.joined(separator: ", ")
    }

    /// The vehicle's line of the table, a cell a column.
    public func cells(name: String, now: Timestamp) -> [String] {
        let state = status.map { status in
            let since = Text.relative(status.timestamp, to: now)
            return status.state == .online ? "online since \(since)" : "offline, \(status.reason) \(since)"
        }
        let tracking = report.map { report in
            report.tracking.isEnabled
                ? report.withinSchedule ? "on" : "off schedule, \(report.tracking.offSchedule ?? "stop")" : "disabled"
        }
        return [
            name, state ?? "never seen", tracking ?? "unknown", configurationInWords,
            report.map { "\($0.queue.depth)" } ?? "",
            report.map { Text.relative($0.timestamp, to: now) } ?? "",
        ]
    }

    /// What is in force, as a person reads it.
    public func configurationText(name: String) throws -> String {
        guard let report else { return "\(name) has reported nothing\n" }
        var text = ""
        for level in report.levels {
            text += "\(level.level): \(level.isApplied ? "applied" : "refused"), version \(level.version ?? "none")"
            text += level.hashInForce == nil ? "\n" : "; in force is version \(level.versionInForce ?? "none")\n"
        }
        for error in report.errors {
            let place = error.path.isEmpty ? "" : " \(error.path):"
            text += "\(error.topic):\(place) \(error.message)\(error.value.map { " (found \($0))" } ?? "")\n"
        }
        return text + (try JSONText.pretty(report.configuration)) + "\n"
    }
}

extension FleetDesk {
    /// The table's first line.
    public static let columns = ["VEHICLE", "STATE", "TRACKING", "CONFIGURATION", "QUEUE", "REPORTED"]

    /// A table, each column as wide as its widest cell.
    public static func table(_ rows: [[String]]) -> String {
        let widths = columns.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            let cells = zip(row, widths).map { $0 + String(repeating: " ", count: max($1 - $0.count, 0)) }
            let line = cells.joined(separator: "  ")
            return String(line.reversed().drop { $0 == " " }.reversed()) + "\n"
        }.joined()
    }
}
