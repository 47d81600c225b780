import ArgumentParser
import Odograph
import OdographConsole
import OdographOperator
import OdographWire

/// `odograph fleet geofences`.
struct FleetGeofencesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "geofences", abstract: "Publish a set of geofences, or compare it with the published set.",
        subcommands: [FleetGeofencesPushCommand.self, FleetGeofencesDiffCommand.self])

    /// Reads a file for publication. One invalid geofence makes the file invalid.
    static func loadValid(_ path: String) throws -> (file: GeofenceFile, bytes: [UInt8]) {
        let limit = BrokerConfiguration.maximumIncomingBytes
        let tooLarge = ExitError(
            .dataError, "\(path): larger than the maximum of \(limit >> 20) MiB; divide the geofences among levels")
        let bytes = try FleetDocument.read(path, atMost: limit, tooLarge: tooLarge)
        // Read once, because the standard input cannot be read again.
        let file = try GeofenceFile.parse(bytes, origin: path)
        guard file.problemCount == 0 else {
            throw ExitError(.dataError, "\(path): not published, it has errors:\n\(file.problemText.dropLast())")
        }
        return (file, bytes)
    }
}

/// `odograph fleet geofences push FILE`.
struct FleetGeofencesPushCommand: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "push", abstract: "Check a set of geofences, publish it, and wait for the vehicles' reports.",
        discussion: """
            Publishes nothing if no vehicle of the level is known. The exit code is 65 if the file is invalid, 1 if a \
            vehicle rejects a geofence or another sender replaces the set at the broker, 69 if no vehicle is known or \
            one does not report in time.
            """)

    @OptionGroup var fleet: FleetOptions
    @OptionGroup var target: FleetTarget

    @Argument(
        help: "The GeoJSON file; - is the standard input. An empty FeatureCollection removes all geofences.",
        completion: .file())
    var file: String

    @Option(help: ArgumentHelp("The maximum time to wait for the reports.", valueName: "seconds"))
    var timeout = 60.0

    @Flag(help: "Publish also if no vehicle of the level is known.")
    var force = false

    @Flag(help: "Print one JSON object per vehicle.")
    var json = false

    func validate() throws { try FleetOptions.check(timeout: timeout) }

    func run() async throws {
        let (_, document) = try FleetGeofencesCommand.loadValid(file)
        let desk = try await fleet.connect()
        if !force { try await target.requireRecipient(using: desk) }
        let published = try await desk.publishGeofences(document, to: target.level, device: target.device)
        Console.printMessage("published, waiting for reports; Ctrl-C stops waiting\n")
        try await target.awaitRollout(of: published, using: desk, seconds: timeout, json: json)
    }
}

/// `odograph fleet geofences diff FILE`.
struct FleetGeofencesDiffCommand: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "diff", abstract: "Compare a file with the set that the broker retains for a level.",
        discussion: """
            Prints the identifiers of the geofences that a push would add (+), change (~) and remove (-). The exit \
            code is 1 if there is a difference, 65 if the file is invalid. Geofences that were published one by one \
            are not compared; they override the set.
            """)

    @OptionGroup var fleet: FleetOptions
    @OptionGroup var target: FleetTarget

    @Argument(help: "The GeoJSON file; - is the standard input.", completion: .file())
    var file: String

    @Flag(help: "Print one JSON object per geofence that differs.")
    var json = false

    func run() async throws {
        let (new, _) = try FleetGeofencesCommand.loadValid(file)
        let old = try await fleet.using { desk in
            try await desk.retainedGeofences(of: target.level, device: target.device ?? "any")
        }
        let difference = GeofenceDifference(new, over: old)
        if json {
            try Console.printJSON(try difference.jsonLines())
        } else {
            try Console.print(difference.text)
        }
        if !difference.isEmpty { throw ExitCode(1) }
    }
}
