import ArgumentParser
import OdographConsole
import OdographRecorder

/// `odograph-recorder export`: prints the records of a vehicle.
struct ExportCommand: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Print the records of a vehicle as GPX, GeoJSON, CSV or JSON lines.",
        discussion: """
            Reads the database, also while a recorder writes it. The formats gpx, geojson and csv contain the \
            positions: locations and geofence events. The format jsonl contains all records as they came, also \
            revisions of the timeline. TIME is ISO-8601, a date, a date and a time (UTC), or an age: 90s, 15m, 2h, 3d.
            """)

    @OptionGroup var database: DatabaseOption
    @OptionGroup var vehicle: VehicleOptions

    @Option(help: ArgumentHelp("Only records at this time or later.", valueName: "time"))
    var from: String?

    @Option(help: ArgumentHelp("Only records before this time.", valueName: "time"))
    var to: String?

    @Option(
        help: ArgumentHelp(
            "The format: \(ExportFormat.allCases.map(\.rawValue).joined(separator: ", ")).", valueName: "format"))
    var format: ExportFormat

    func validate() throws { _ = try TimeOption.times(from: from, to: to) }

    func run() async throws {
        let times = try TimeOption.times(from: from, to: to)
        let count = try database.query { history in
            let vehicle = try history.vehicle(named: vehicle.device, fleet: vehicle.fleet)
            var buffer = OutputBuffer(format == .jsonl || format == .geojson ? .json : .document)
            let count = try RecordExport(vehicle, in: times, as: format).write(from: history) {
                try buffer.append($0)
            }
            try buffer.flush()
            return count
        }
        if count == 0 { Console.printMessage("the database contains no such records of this time\n") }
    }
}

extension ExportFormat: ExpressibleByArgument {}
