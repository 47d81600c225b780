import ArgumentParser
import Odograph
import OdographConsole
import OdographOperator

/// `odograph geofences`: the geofences in force, and files of geofences.
struct GeofencesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "geofences", abstract: "List the geofences in force, or check a file of geofences.",
        subcommands: [GeofencesListCommand.self, GeofencesCheckCommand.self, GeofencesLocateCommand.self],
        defaultSubcommand: GeofencesListCommand.self)

    /// Reads a file. Prints the problems of invalid geofences and returns the others.
    static func load(_ path: String) throws -> GeofenceFile {
        let file = try GeofenceFile.load(path)
        if file.problemCount > 0 { Console.printMessage(file.problemText) }
        return file
    }
}

/// `odograph geofences list`.
struct GeofencesListCommand: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Print the geofences in force, and the geofences that contain the vehicle.")

    @OptionGroup var options: AgentOptions

    func run() async throws {
        let listing = try await options.agent().geofences()
        if options.json { return try Console.printJSON(try listing.jsonLines()) }
        try Console.print(listing.text(width: Console.terminalSize?.columns))
    }
}

/// `odograph geofences check FILE`.
struct GeofencesCheckCommand: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Check a GeoJSON file of geofences.",
        discussion:
            "Prints each error and its place in the file, one per line. The exit code is 65 if there is an error.")

    @Argument(help: ArgumentHelp("The GeoJSON file; - is the standard input.", valueName: "file"), completion: .file())
    var file: String

    @Flag(help: "Print one JSON object per error, and one with the counts.")
    var json = false

    func run() async throws {
        let checked: GeofenceFile
        do throws(ExitError) {
            checked = try GeofenceFile.load(file)
        } catch {
            if json { try Console.printJSON(GeofenceFile.jsonLines(error, file)) }
            throw error
        }
        if json {
            try Console.printJSON(checked.problemLines.joined() + checked.summaryLine(file))
        } else {
            try Console.print(checked.problemText)
        }
        Console.printMessage(
            "\(FileReader.name(of: file)): \(checked.count == 1 ? "1 geofence is" : "\(checked.count) geofences are") valid\n"
        )
        if checked.problemCount > 0 { throw ExitCode(ExitError.Code.dataError.rawValue) }
    }
}

/// `odograph geofences locate FILE [LAT,LON …]`.
struct GeofencesLocateCommand: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "locate", abstract: "Print the geofences of a file that contain a point.",
        discussion: """
            Prints one line per point: a JSON array of the identifiers of the geofences that contain the point, \
            sorted. A point is LAT,LON in degrees. The points are arguments, or else lines of the standard input. A \
            point on the edge is inside.
            """)

    @Argument(help: ArgumentHelp("The GeoJSON file; - is the standard input.", valueName: "file"), completion: .file())
    var file: String

    func validate() throws {
        if file == "-", places.isEmpty {
            throw ValidationError("The standard input is the file; give the points as arguments.")
        }
    }

    @Argument(parsing: .captureForPassthrough, help: ArgumentHelp("The points.", valueName: "lat,lon"))
    var places: [String] = []

    func run() async throws {
        let fences = try GeofencesCommand.load(file)
        var output = OutputBuffer(.json)
        let given = places.filter { $0 != "--" }
        for place in given { try output.append(Array((try fences.identifiers(at: place) + "\n").utf8)) }
        guard given.isEmpty else { return try output.flush() }
        var number = 0
        while let line = readLine() {
            number += 1
            if line.allSatisfy(\.isWhitespace) { continue }
            do throws(ExitError) {
                try output.append(Array((try fences.identifiers(at: line) + "\n").utf8))
            } catch {
                try output.flush()
                throw ExitError(error.code, "line \(number): \(error.text)")
            }
        }
        try output.flush()
    }
}
