import ArgumentParser
import OdographConsole
import OdographRecorder
import OdographSettings
import OdographTerminal

/// `odograph-recorder latest`: prints the vehicles with their newest positions.
struct LatestCommand: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "latest", abstract: "Print all vehicles with their states and newest positions.",
        discussion: "Reads the database, also while a recorder writes it.")

    @OptionGroup var database: DatabaseOption

    @Option(help: ArgumentHelp("Only the vehicles of this fleet.", valueName: "name"))
    var fleet: String?

    @Flag(help: "Print one JSON object per line.")
    var json = false

    func run() async throws {
        let vehicles = try database.query { try $0.latestPositions(fleet: fleet, hasPayload: json) }
        if let fleet, vehicles.isEmpty {
            throw ExitError(.dataError, "the fleet \(fleet.printable) has no vehicle")
        }
        if json {
            try Console.printJSON(try LatestPosition.jsonLines(vehicles))
        } else if vehicles.isEmpty {
            Console.printMessage("the database contains no vehicles\n")
        } else {
            try Console.print(LatestPosition.table(vehicles, width: Console.terminalSize?.columns))
        }
    }
}
