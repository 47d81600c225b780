import ArgumentParser
import Odograph
import OdographCivilTime
import OdographConsole
import OdographOperator

/// `odograph fleet locate VEHICLE…`.
struct FleetLocateCommand: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "locate", abstract: "Print the newest position of vehicles, its age and its error, and a link.",
        discussion: """
            The position is the one that the broker retains, also of a vehicle that is offline. The link is a geo: URI \
            (RFC 5870), which maps open. The exit code is 69 if a vehicle is not known or has no position.
            """)

    @OptionGroup var fleet: FleetOptions

    @Argument(help: ArgumentHelp("The names of the vehicles.", valueName: "vehicle"))
    var vehicles: [String]

    @Flag(help: "Print one JSON object per vehicle.")
    var json = false

    func validate() throws { for vehicle in vehicles { try FleetOptions.check(vehicle, what: "device") } }

    func run() async throws {
        let positions = try await fleet.using(isWatching: true) { try await $0.positions(of: vehicles) }
        let now = Timestamp.now
        for position in positions {
            if json {
                try Console.printJSON(try position.json(now: now))
            } else {
                try Console.print(position.text(now: now, width: Console.terminalSize?.columns))
            }
        }
        if positions.contains(where: { $0.location == nil }) { throw ExitCode(ExitError.Code.unavailable.rawValue) }
    }
}
