import ArgumentParser
import OdographConsole
import OdographRecorder

/// `odograph-recorder report driver`: prints the trips of a driver.
struct DriverReportCommand: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "driver", abstract: "Print the trips of a driver with all vehicles.",
        discussion: """
            Reads the database, also while a recorder writes it. A trip is of a driver if it or a position during it \
            has the driver, as `driver` or in `extras.driver`. TIME is ISO-8601, a date, a date and a time in the zone, \
            or an age: 90s, 15m, 2h, 3d.
            """)

    @OptionGroup var database: DatabaseOption
    @OptionGroup var options: ReportOptions

    @Option(help: ArgumentHelp("The driver, as in driver or extras.driver.", valueName: "name"))
    var driver: String

    @Option(help: ArgumentHelp("Only trips that begin at this time or later.", valueName: "time"))
    var from: String?

    @Option(help: ArgumentHelp("Only trips that begin before this time.", valueName: "time"))
    var to: String?

    func validate() throws { _ = try TimeOption.times(from: from, to: to, zone: try options.zone(of: nil)) }

    func run() async throws {
        let zone = try options.zone(of: nil)
        let times = try TimeOption.times(from: from, to: to, zone: zone)
        let trips = try database.query { try $0.trips(ofDriver: driver, in: times) }
        try options.show(Report.driver(driver, trips, in: zone))
    }
}
