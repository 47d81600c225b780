import ArgumentParser
import OdographConsole
import OdographRecorder

/// `odograph-recorder status`: prints what a database contains.
struct StatusCommand: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Print what a database contains: vehicles, records, backup, gaps, given up, conflicts, rejected.",
        discussion: """
            Reads the database, also while a recorder writes it. An open gap is a range of numbers that are neither \
            stored, nor given up, nor in the ledger of the vehicle: the records wait in the vehicle, or are lost.
            """)

    @OptionGroup var database: DatabaseOption

    @Flag(help: "Print one JSON object.")
    var json = false

    func run() async throws {
        let status = try database.use { try RecorderStatus(of: $0) }
        if json { return try Console.printJSON(try status.json()) }
        try Console.print(status.text)
    }
}
