import ArgumentParser
import OdographConsole
import OdographOperator
import OdographRecorder

/// `odograph-recorder backup`: copies a database.
struct BackupCommand: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Copy a database while the recorder runs.",
        discussion: """
            The copy is complete and on the disk when the command ends with exit code 0. With backup.required the \
            vehicles may then delete the records that it contains. Keep the copy until the next one is complete.
            """)

    @Option(help: ArgumentHelp("The recorder's database.", valueName: "file"), completion: .file())
    var database: String

    @Option(
        help: ArgumentHelp("The copy. An existing file is replaced at the end.", valueName: "file"),
        completion: .file())
    var output: String

    func run() async throws {
        do throws(DatabaseFailure) {
            try RecorderBackup.make(of: database, at: output)
        } catch {
            throw ExitError(reading: error)
        }
    }
}
