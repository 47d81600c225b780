import ArgumentParser
import Glibc
import Odograph

/// The command `odograph`.
@main
struct OdographCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "odograph",
        abstract: "Tells the world over MQTT where a vehicle is and what it did.",
        version: Build.version,
        subcommands: [
            RunCommand.self, ReplayCommand.self, AnalyzeCommand.self, StatusCommand.self, LocationsCommand.self,
            TimelineCommand.self, OdometerCommand.self,
            GeofencesCommand.self, ConfigCommand.self, DoctorCommand.self, ScheduleCommand.self, FleetCommand.self,
        ])

    /// Runs what the arguments ask for. Help and wrong arguments are printed here, and not by the parser, whose messages quote the
    /// arguments as they are.
    static func main() async {
        do {
            let command = try parseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                var command = command
                try command.run()
            }
        } catch {
            let (code, message) = (exitCode(for: error), fullMessage(for: error))
            let text = message.isEmpty ? "" : message + "\n"
            if code == .success { try? Console.print(text) } else { Console.printMessage(text) }
            Glibc.exit(code.rawValue)
        }
    }
}
