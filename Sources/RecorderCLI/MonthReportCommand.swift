import ArgumentParser
import OdographCivilTime
import OdographConsole
import OdographRecorder
import OdographWire

/// `odograph-recorder report month`: prints one line for each day of a month.
struct MonthReportCommand: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "month", abstract: "Print the distance, trips and stops of vehicles for each day of a month.",
        discussion: """
            Reads the database, also while a recorder writes it. Of several vehicles each has its report; in csv and \
            jsonl the rows begin with fleet and device.
            """)

    @OptionGroup var database: DatabaseOption
    @OptionGroup var selection: ReportVehicles
    @OptionGroup var options: ReportOptions

    @Option(help: ArgumentHelp("The month, such as 2026-11.", valueName: "month"))
    var month: String

    func validate() throws {
        try selection.requireSelection()
        _ = try DateOption.month(month)
    }

    func run() async throws {
        let reports = try database.query { history in
            try selection.vehicles(in: history).map { try report(of: $0, from: history) }
        }
        try options.show(reports, title: selection.title(month), hasVehicles: selection.areSeveral)
    }

    private func report(of vehicle: ArchivedVehicle, from history: HistoryDatabase) throws -> Report {
        let (first, end) = try DateOption.month(month)
        let (zone, notes) = try options.zone(of: vehicle)
        let days = LocalDay.days(from: first, before: end, in: zone)
        guard let start = days.first?.span.lowerBound, let end = days.last?.span.upperBound, start < end else {
            return Report.month(of: vehicle, month, days, [], in: zone).noting(notes)
        }
        let events = try history.timeline(of: vehicle, in: start..<end)
        let odometer = try OdometerReadings(
            of: vehicle, at: days.flatMap { [$0.span.lowerBound, $0.span.upperBound] }, from: history)
        let geofences = GeofenceTimes(
            in: start..<end, try history.geofenceEvents(of: vehicle, in: start..<end), events, until: .now)
        return Report.month(of: vehicle, month, days, events, odometer: odometer, geofences: geofences, in: zone)
            .noting(notes)
    }
}
