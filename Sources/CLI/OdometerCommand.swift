import ArgumentParser
import Odograph
import OdographConsole
import OdographOperator

/// `odograph odometer`: prints or sets the distance travelled.
struct OdometerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "odometer", abstract: "Print the odometer, or set it.",
        subcommands: [OdometerShowCommand.self, OdometerSetCommand.self], defaultSubcommand: OdometerShowCommand.self)
}

/// `odograph odometer show`, the default of `odograph odometer`.
struct OdometerShowCommand: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Print the distance travelled and its error bound.",
        discussion: "Queries the running agent. If no agent runs, the command reads the database.")

    @OptionGroup var options: AgentOptions

    func run() async throws {
        try options.show(try await options.agent().odometer())
    }
}

/// `odograph odometer set VALUE`.
struct OdometerSetCommand: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Set the odometer, and its error bound to 0.",
        discussion: "The agent must be running.")

    @Argument(help: ArgumentHelp("The new distance in metres, 0 to 10000000000.", valueName: "value"))
    var value: Double

    @OptionGroup var options: AgentOptions

    func validate() throws {
        guard OdometerReading.settableMeters.contains(value) else {
            throw ValidationError("\(value) is not a valid distance; give metres from 0 to 10000000000.")
        }
    }

    func run() async throws {
        try options.show(try await options.agent().setOdometer(value))
    }
}

extension AgentOptions {
    fileprivate func show(_ odometer: OdometerReading) throws {
        if json { return try Console.printJSON(try odometer.json()) }
        try Console.print(Format.distance(odometer.meters, error: odometer.errorMeters) + "\n")
    }
}
