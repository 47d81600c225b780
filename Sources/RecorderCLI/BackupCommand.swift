import ArgumentParser
import OdographConsole
import OdographRecorder

/// `odograph-recorder backup`: copies a database, or notes that another program has copied it.
struct BackupCommand: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Copy a database while the recorder runs.",
        discussion: """
            The copy is complete and on the disk when the command ends with exit code 0. With backup.required the \
            vehicles may then delete the records that it contains. Keep the copy until the next one is complete. Of a \
            PostgreSQL database, pg_dump writes a file for pg_restore. For another program, such as pg_basebackup: run \
            the command with --begin, then the program, and when its copy is complete and safe, the command with \
            --complete and the printed mark.
            """)

    @OptionGroup var database: DatabaseOption

    @Option(
        help: ArgumentHelp("The copy. An existing file is replaced at the end.", valueName: "file"),
        completion: .file())
    var output: String?

    @Flag(help: "Begin a backup by another program, and print its mark. What is stored now will be in the backup.")
    var begin = false

    @Option(help: ArgumentHelp("Complete the backup of this mark.", valueName: "mark"))
    var complete: String?

    @Flag(help: "Print the mark of --begin as one JSON object.")
    var json = false

    func validate() throws {
        guard [output != nil, begin, complete != nil].count(where: { $0 }) == 1 else {
            throw ValidationError("Give one of --output, --begin and --complete.")
        }
    }

    func run() async throws {
        try database.use { location in
            if let output { try RecorderBackup.make(of: location, at: output) }
            if let complete { try BackupMark.complete(complete, of: location) }
        }
        guard begin else { return }
        let mark = try database.use { try BackupMark.begin(of: $0) }
        if json {
            try Console.printJSON(try BackupMark.json(of: mark))
        } else {
            try Console.print(mark + "\n")
        }
    }
}
