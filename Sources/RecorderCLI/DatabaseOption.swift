import ArgumentParser
import OdographConsole
import OdographRecorder
import OdographTerminal

/// The option `--database` of the commands for a database.
struct DatabaseOption: ParsableArguments {
    @Option(
        name: .customLong("database"),
        help: ArgumentHelp("The recorder's database: a file, or postgresql://….", valueName: "database"),
        completion: .file())
    var location: DatabaseLocation

    /// Runs queries.
    func query<Result>(_ body: (HistoryDatabase) throws -> Result) throws -> Result {
        try use { location in try body(try HistoryDatabase(location)) }
    }

    /// Passes the place of the database to `body`.
    /// - Throws: `ExitError` instead of ``DatabaseFailure``.
    func use<Result>(_ body: (DatabaseLocation) throws -> Result) throws -> Result {
        do {
            return try body(location)
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
