import ArgumentParser
import Odograph
import OdographConsole
import OdographRecorder

/// The command `odograph-recorder`.
@main
struct RecorderCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "odograph-recorder",
        abstract: "Stores what the vehicles of a fleet publish in an SQLite or PostgreSQL database.",
        version: Build.version,
        subcommands: [
            RunCommand.self, ConfigCommand.self, DoctorCommand.self, StatusCommand.self, LatestCommand.self,
            ExportCommand.self,
            ReportCommand.self, EraseCommand.self, BackupCommand.self, SchemaCommand.self,
        ])

    static func main() async {
        await CommandEntry.run(Self.self, hiding: PostgreSQLAddress.secrets(in: CommandLine.arguments))
    }
}
