import ArgumentParser
import OdographCivilTime
import OdographConsole
import OdographRecorder
import OdographSettings
import OdographTerminal

/// The options of all reports.
struct ReportOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The format: \(ReportFormat.allCases.map(\.rawValue).joined(separator: ", ")).", valueName: "format"))
    var format = ReportFormat.table

    @Option(
        help: ArgumentHelp(
            "The time zone, such as Europe/Madrid. Default: the zone of the vehicle's days, or UTC if this machine does "
                + "not know it. geofences and driver have one zone: without --device it is UTC.", valueName: "zone"))
    var timeZone: String?

    @Flag(help: "Print one JSON object per row, as --format jsonl does.")
    var json = false

    func validate() throws {
        _ = try TimeOption.zone(timeZone)
        guard !json || format == .table || format == .jsonl else {
            throw ValidationError("Give --json or --format \(format.rawValue), not both.")
        }
    }

    /// Returns the zone of the report, and the note that says which zone of a vehicle this machine does not know. The
    /// formats for programs have no notes, so the note is then a message.
    /// - Parameter vehicle: The vehicle of the report; nil for several vehicles.
    func zone(of vehicle: ArchivedVehicle?) throws -> (rules: ZoneRules, notes: [String]) {
        if let zone = try TimeOption.zone(timeZone) { return (zone, []) }
        guard let vehicle, let name = vehicle.timeZone else { return (.utc, []) }
        do throws(ZoneError) {
            return (try ZoneDirectory.system.rules(named: name), [])
        } catch {
            let note =
                "The zone of \(vehicle.fleet)/\(vehicle.device) is not known here, so its times are of UTC: "
                + error.description.printable
            if json || format == .csv || format == .jsonl { Console.printMessage(note + "\n") }
            return (.utc, [note])
        }
    }

    /// Prints reports.
    /// - Parameters:
    ///   - reports: The reports.
    ///   - title: The title of a page with several reports.
    ///   - hasVehicles: Whether there can be several vehicles.
    func show(_ reports: [Report], title: String = "", hasVehicles: Bool = false) throws {
        func text(_ format: ReportFormat) throws -> String {
            try format.text(of: reports, title: title, hasVehicles: hasVehicles)
        }
        if json || format == .jsonl { return try Console.printJSON(try text(.jsonl)) }
        guard format == .table else { return try Console.printDocument(try text(format)) }
        let width = Console.terminalSize?.columns
        let lines = try text(format).split(separator: "\n", omittingEmptySubsequences: false)
        try Console.print(lines.map { Format.cut(String($0), to: width) }.joined(separator: "\n"))
    }
}

extension ReportFormat: ExpressibleByArgument {}

/// Parses dates of the calendar.
enum DateOption {
    /// Parses a date such as `2026-11-21`.
    static func day(_ text: String) throws -> CivilDate {
        guard let date = date(text) else {
            throw ValidationError("\"\(text)\" is not a date; write it like 2026-11-21.")
        }
        return date
    }

    /// Parses a month such as `2026-11`.
    /// - Returns: The first day of the month, and of the one after it.
    static func month(_ text: String) throws -> (first: CivilDate, end: CivilDate) {
        guard let first = date(text + "-01") else {
            throw ValidationError("\"\(text)\" is not a month; write it like 2026-11.")
        }
        let days = CivilDate.daysIn(month: first.month, ofYear: first.year)
        return (first, CivilDate(daysSinceEpoch: first.daysSinceEpoch + days))
    }

    private static func date(_ text: String) -> CivilDate? {
        guard text.utf8.count == 10 else { return nil }
        return Timestamp(iso8601: text + "T00:00:00Z").map { ZoneRules.utc.localTime(at: $0).date }
    }
}
