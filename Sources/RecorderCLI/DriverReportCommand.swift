import ArgumentParser
import OdographConsole
import OdographRecorder
import OdographWire

/// `odograph-recorder report driver`: prints the trips of a driver.
struct DriverReportCommand: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "driver", abstract: "Print the trips of a driver.",
        discussion: """
            Reads the database, also while a recorder writes it. A trip is of a driver if it or a position during it \
            has the driver, as `driver` or in `extras.driver`. Without an option for vehicles all of them count. TIME \
            is ISO-8601, a date, a date and a time in the zone, or an age: 90s, 15m, 2h, 3d.
            """)

    @OptionGroup var database: DatabaseOption
    @OptionGroup var selection: ReportVehicles
    @OptionGroup var options: ReportOptions

    @Option(help: ArgumentHelp("The driver, as in driver or extras.driver.", valueName: "name"))
    var driver: String

    @Option(help: ArgumentHelp("Only trips that begin at this time or later.", valueName: "time"))
    var from: String?

    @Option(help: ArgumentHelp("Only trips that begin before this time.", valueName: "time"))
    var to: String?

    /// Whether an option selects vehicles.
    private var isSelected: Bool { selection.device != nil || selection.group != nil || selection.fleet != nil }

    func validate() throws {
        guard [selection.device != nil, selection.group != nil, selection.all].count(where: { $0 }) <= 1 else {
            throw ValidationError("Give at most one of --device NAME, --group NAME and --all.")
        }
        _ = try TimeOption.times(from: from, to: to, zone: try options.zone(of: nil))
    }

    func run() async throws {
        let zone = try options.zone(of: nil)
        let times = try TimeOption.times(from: from, to: to, zone: zone)
        let report = try database.query { history in
            let vehicles = try isSelected ? Set(selection.vehicles(in: history)) : nil
            let trips = try history.trips(ofDriver: driver, in: times).filter { vehicles?.contains($0.vehicle) ?? true }
            var odometers: [ArchivedVehicle: OdometerReadings] = [:]
            for (vehicle, trips) in Dictionary(grouping: trips, by: \.vehicle) {
                let bounds = trips.flatMap { [$0.event.startDate, $0.event.endDate].compactMap { $0 } }
                odometers[vehicle] = try OdometerReadings(of: vehicle, at: bounds, from: history)
            }
            return Report.driver(driver, trips, odometers: odometers, in: zone)
        }
        try options.show([report])
    }
}
