import ArgumentParser
import OdographCivilTime
import OdographConsole
import OdographRecorder
import OdographTerminal

/// `odograph-recorder report day`: prints the trips and stops of a day.
struct DayReportCommand: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "day", abstract: "Print the trips and stops of a vehicle on a day.",
        discussion: """
            Reads the database, also while a recorder writes it. The day begins and ends at midnight of the time zone, \
            and has 23 or 25 hours when the clocks change.
            """)

    @OptionGroup var database: DatabaseOption
    @OptionGroup var vehicle: VehicleOptions
    @OptionGroup var options: ReportOptions

    @Option(help: ArgumentHelp("The date, such as 2026-11-21. Default: today.", valueName: "date"))
    var date: String?

    func validate() throws { _ = try date.map(DateOption.day) }

    func run() async throws {
        let report = try database.query { history in
            let vehicle = try history.vehicle(named: vehicle.device, fleet: vehicle.fleet)
            let zone = try options.zone(of: vehicle)
            let date = try date.map(DateOption.day) ?? zone.localTime(at: .now).date
            guard let day = LocalDay.day(date, in: zone) else {
                throw ExitError(.usage, "the zone \(zone.identifier) has no such day; give another date")
            }
            let events = try history.timeline(of: vehicle, in: day.span)
            let drivers = try history.drivers(of: vehicle, during: events)
            return Report.day(of: vehicle, day, events, drivers: drivers, in: zone)
        }
        try options.show(report)
    }
}
