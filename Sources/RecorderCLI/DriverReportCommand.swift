import ArgumentParser
import OdographCivilTime
import OdographConsole
import OdographRecorder
import OdographWire

/// `odograph-recorder report driver`: prints the trips of a driver, or the sums of all drivers.
struct DriverReportCommand: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "driver", abstract: "Print the trips of a driver, or a line for each driver.",
        discussion: """
            Reads the database, also while a recorder writes it. A trip is of a driver if it or a position during it \
            has the driver, as `driver` or in `extras.driver`. Without --driver there is a line for each driver, with \
            the sums of the trips. Without an option for vehicles all of them count. A trip counts if it begins in the \
            time. TIME is ISO-8601, a date, a date and a time in the zone, or an age: 90s, 15m, 2h, 3d.
            """)

    @OptionGroup var database: DatabaseOption
    @OptionGroup var selection: ReportVehicles
    @OptionGroup var options: ReportOptions

    @OptionGroup var period: ReportPeriod

    @Option(
        help: ArgumentHelp("The driver, as in driver or extras.driver. Default: each driver.", valueName: "name"))
    var driver: String?

    /// Whether an option selects vehicles.
    private var isSelected: Bool { selection.device != nil || selection.group != nil || selection.fleet != nil }

    func validate() throws {
        guard [selection.device != nil, selection.group != nil, selection.all].count(where: { $0 }) <= 1 else {
            throw ValidationError("Give at most one of --device NAME, --group NAME and --all.")
        }
        _ = try period.times(in: try options.zone(of: nil).rules)
    }

    func run() async throws {
        let report = try database.query { history in
            let vehicle = try selection.areSeveral ? nil : selection.vehicles(in: history).first
            let (zone, notes) = try options.zone(of: vehicle)
            let times = try period.times(in: zone)
            let report =
                try driver.map { driver throws in try trips(of: driver, in: times, zone, from: history) }
                ?? all(in: times, zone, from: history)
            return report.noting(notes)
        }
        try options.show([report])
    }

    private func trips(
        of driver: String, in times: Range<Timestamp>, _ zone: ZoneRules, from history: HistoryDatabase
    ) throws -> Report {
        let vehicles = try isSelected ? Set(selection.vehicles(in: history)) : nil
        let trips = try history.trips(ofDriver: driver, in: times).filter { vehicles?.contains($0.vehicle) ?? true }
        var odometers: [ArchivedVehicle: OdometerReadings] = [:]
        for (vehicle, trips) in Dictionary(grouping: trips, by: \.vehicle) {
            let bounds = trips.flatMap { [$0.event.startDate, $0.event.endDate].compactMap { $0 } }
            odometers[vehicle] = try OdometerReadings(of: vehicle, at: bounds, from: history)
        }
        return Report.driver(driver, trips, odometers: odometers, in: zone)
    }

    private func all(in times: Range<Timestamp>, _ zone: ZoneRules, from history: HistoryDatabase) throws -> Report {
        let trips = try selection.vehicles(in: history).map { try VehicleTrips(of: $0, in: times, from: history) }
        return Report.drivers(trips, selection.title(period.words), in: zone)
    }
}
