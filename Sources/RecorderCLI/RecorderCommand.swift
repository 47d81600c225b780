import ArgumentParser
import OdographConsole
import OdographRecorder
import OdographSettings

/// The command `odograph-recorder`.
@main
struct RecorderCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "odograph-recorder",
        abstract: "Stores what the vehicles of a fleet publish in an SQLite or PostgreSQL database.",
        discussion: """
            Exit codes:
            0: success; also a recorder that SIGTERM or SIGINT has stopped.
            1: a check of doctor has failed.
            64: the arguments are invalid.
            65: the database is damaged, or of another version or program; no such vehicle; an imported file is wrong.
            66: the database or an imported file does not exist or cannot be opened for reading.
            69: the server of the database, the broker or the target of a rule does not respond.
            70: an internal error.
            73: the database cannot be opened, or a backup cannot be written.
            74: reading or writing failed.
            75: another program has locked the database; the bytes of erased records can still be in the files. Try \
            again.
            77: this user lacks a permission; the broker has not deleted what it retains of an erased vehicle.
            78: the configuration is wrong, or another recorder publishes receipts under the same name.
            """,
        version: Build.version,
        subcommands: [
            RunCommand.self, ConfigCommand.self, DoctorCommand.self, StatusCommand.self, LatestCommand.self,
            ExportCommand.self, ImportCommand.self, NotifyCommand.self,
            ReportCommand.self, EraseCommand.self, BackupCommand.self, SchemaCommand.self,
        ])

    static func main() async {
        await CommandEntry.run(Self.self, hiding: PostgreSQLAddress.secrets(in: CommandLine.arguments))
    }
}
