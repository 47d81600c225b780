import ArgumentParser
import OdographConsole
import OdographRecorder
import OdographTerminal

/// `odograph-recorder status`: prints what a database contains.
struct StatusCommand: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Print what a database contains: vehicles, records, backup, gaps, given up, conflicts, rejected.",
        discussion: """
            Reads the database, also while a recorder writes it. An open gap is a range of numbers that are neither \
            stored, nor given up, nor in the ledger of the vehicle: the records wait in the vehicle, or are lost.
            """)

    @Option(
        help: ArgumentHelp("The recorder's database: a file, or postgresql://….", valueName: "database"),
        completion: .file())
    var database: DatabaseLocation

    @Flag(help: "Print one JSON object.")
    var json = false

    func run() async throws {
        let status: RecorderStatus
        do throws(DatabaseFailure) {
            status = try RecorderStatus(of: database)
        } catch {
            throw ExitError(reading: error)
        }
        if json { return try Console.printJSON(try status.json()) }
        try Console.print(status.text)
    }
}
