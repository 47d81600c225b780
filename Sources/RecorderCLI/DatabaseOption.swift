import ArgumentParser
import Odograph
import OdographConsole
import OdographOperator
import OdographRecorder

/// The option `--database` of the commands that read a database.
struct DatabaseOption: ParsableArguments {
    @Option(
        name: .customLong("database"), help: ArgumentHelp("The recorder's database.", valueName: "file"),
        completion: .file())
    var path: String

    /// Runs queries.
    func query<Result>(_ body: (any HistoryDatabase) throws -> Result) throws -> Result {
        guard !PostgreSQLAddress.isAddress(path) else {
            throw ExitError(
                .usage,
                "--database: this command reads SQLite files only; use SQL, see `odograph-recorder schema`")
        }
        do {
            return try body(try SQLiteHistoryDatabase(path: path))
        } catch let error as DatabaseFailure {
            throw ExitError(reading: error)
        }
    }
}

/// The options that select a vehicle.
struct VehicleOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The vehicle.", valueName: "name"))
    var device: String

    @Option(
        help: ArgumentHelp("The vehicle's fleet, if several fleets have a vehicle of this name.", valueName: "name"))
    var fleet: String?
}
