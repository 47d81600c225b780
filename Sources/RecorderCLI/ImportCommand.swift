import ArgumentParser
import OdographCivilTime
import OdographConsole
import OdographRecorder
import OdographSettings
import OdographTerminal
import OdographWire

/// `odograph-recorder import`: stores positions that another program recorded.
struct ImportCommand: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Store the positions of GPX files, of OwnTracks or of Traccar.",
        discussion: """
            Writes into the database, also while a recorder writes it. All files are read once before anything is \
            stored. A position that is there already is not stored again, so the same import can be repeated. Imported \
            positions have the epoch 0 and no number of an agent: they make no gaps and no receipts, trigger no rules \
            and are not relayed. Tracks and exports contain them, and erase and retention.days remove them. Reports do \
            not: they count trips, which come from the vehicle. A position of an erased time is not stored. To undo a \
            wrong import use --remove with the same files and options: what erase has removed cannot be imported again.
            """)

    @Argument(help: ArgumentHelp("The files.", valueName: "file"), completion: .file())
    var files: [String]

    @OptionGroup var database: DatabaseOption

    @Option(help: ArgumentHelp("The vehicle, such as acme/van-7. It can be a new one.", valueName: "fleet/name"))
    var vehicle: String

    @Option(
        help: ArgumentHelp(
            "The format: \(ImportFormat.allCases.map(\.rawValue).joined(separator: ", ")). Default: by the contents.",
            valueName: "format"))
    var format: ImportFormat?

    @Option(
        help: ArgumentHelp(
            "The time zone of times without one: Traccar writes those of the user who exported the table.",
            valueName: "zone"))
    var timeZone: String?

    @Flag(help: "Leave out positions that cannot be read, and count them.")
    var skipInvalid = false

    @Flag(help: "Remove the positions of the files that an import has stored. They can be imported again.")
    var remove = false

    @Flag(help: "Read the files, and store nothing.")
    var dryRun = false

    @Flag(help: "Print one JSON object per file.")
    var json = false

    func validate() throws {
        _ = try TimeOption.zone(timeZone)
        _ = try address()
        guard !remove || !dryRun else { throw ValidationError("--dry-run shows an import; leave out --remove.") }
    }

    func run() async throws {
        let job = PositionImport(vehicle: try address(), skipsUnreadable: skipInvalid)
        do {
            let zone = try TimeOption.zone(timeZone)
            let files = try files.map { try ImportedFile($0, format: format, zone: zone) }
            if dryRun {
                for file in files { try show(file, try job.check(file)) }
            } else if remove {
                try job.remove(files, from: database.location) { try show($0, $1) }
            } else {
                try job.run(files, into: database.location) { try show($0, $1) }
            }
        } catch let failure as ImportFailure {
            throw ExitError(failure)
        } catch let failure as DatabaseFailure {
            throw ExitError(reading: failure)
        }
    }

    private func show(_ file: ImportedFile, _ counts: ImportCounts) throws {
        if json { return try Console.printJSON(try counts.json(of: file.path) + "\n") }
        let text = dryRun ? counts.readText : remove ? counts.removalText : counts.text
        try Console.print("\(file.path): \(text)\n")
    }

    private func address() throws -> DeviceAddress {
        let parts = vehicle.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2 else { throw ValidationError("--vehicle is FLEET/NAME, such as acme/van-7.") }
        do throws(TopicNameError) {
            return try DeviceAddress(fleet: parts[0], device: parts[1])
        } catch {
            throw ValidationError("--vehicle: \(error.description)")
        }
    }
}

extension ImportFormat: ExpressibleByArgument {}

extension ExitError {
    /// Converts a reason why a file cannot be imported.
    fileprivate init(_ failure: ImportFailure) {
        let code: Code =
            switch failure.kind {
            case .missing: .noInput
            case .input: .inputOutput
            case .contents: .dataError
            }
        self.init(code, failure.description.printable)
    }
}
