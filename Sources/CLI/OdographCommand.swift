import ArgumentParser
import Glibc
import Odograph

/// The command `odograph`.
@main
struct OdographCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "odograph",
        abstract: "Records where a vehicle is and what it did, and publishes it over MQTT.",
        version: Build.version,
        subcommands: [
            RunCommand.self, ReplayCommand.self, AnalyzeCommand.self, StatusCommand.self, LocationsCommand.self,
            TimelineCommand.self, OdometerCommand.self,
            GeofencesCommand.self, ConfigCommand.self, DoctorCommand.self, ScheduleCommand.self, FleetCommand.self,
        ])

    /// Runs the command of the arguments. Help and argument errors are printed here, because the parser's messages
    /// would quote the arguments with their control characters.
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
