import ArgumentParser
import OdographCivilTime
import OdographConsole
import OdographRecorder
import OdographWire

/// `odograph-recorder report month`: prints one line for each day of a month.
struct MonthReportCommand: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "month", abstract: "Print the distance, trips and stops of a vehicle for each day of a month.",
        discussion: "Reads the database, also while a recorder writes it.")

    @OptionGroup var database: DatabaseOption
    @OptionGroup var vehicle: VehicleOptions
    @OptionGroup var options: ReportOptions

    @Option(help: ArgumentHelp("The month, such as 2026-11.", valueName: "month"))
    var month: String

    func validate() throws { _ = try DateOption.month(month) }

    func run() async throws {
        let (first, end) = try DateOption.month(month)
        let report = try database.query { history in
            let vehicle = try history.vehicle(named: vehicle.device, fleet: vehicle.fleet)
            let zone = try options.zone(of: vehicle)
            let days = LocalDay.days(from: first, before: end, in: zone)
            var events: [TimelineEventRevision] = []
            if let start = days.first?.span.lowerBound, let end = days.last?.span.upperBound {
                events = try history.timeline(of: vehicle, in: start..<end)
            }
            return Report.month(of: vehicle, month, days, events, in: zone)
        }
        try options.show(report)
    }
}
