import ArgumentParser
import Odograph
import OdographOperator
import Wire

/// `odograph fleet geofences`.
struct FleetGeofencesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "geofences", abstract: "Publish a set of geofences, or see what would change.",
        subcommands: [FleetGeofencesPushCommand.self, FleetGeofencesDiffCommand.self])

    /// Reads a file for publication. One invalid geofence makes the file invalid.
    static func loadValid(_ path: String) throws -> (file: GeofenceFile, bytes: [UInt8]) {
        let file = try GeofenceFile.load(path)
        let limit = BrokerConfiguration.maximumIncomingBytes
        let tooLarge = ExitError(
            .dataError, "\(path): larger than the \(limit >> 20) MiB that a vehicle takes: divide it among levels")
        let bytes = try FleetDocument.read(path, atMost: limit, tooLarge: tooLarge)
        guard file.problemCount == 0 else {
            throw ExitError(.dataError, "\(path) is not published:\n\(file.problemText.dropLast())")
        }
        return (file, bytes)
    }
}

/// `odograph fleet geofences push FILE`.
struct FleetGeofencesPushCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "push", abstract: "Check a set of geofences, publish it, and wait for the vehicles' reports.",
        discussion:
            "The exit code is 65 where the file is wrong, 1 where a vehicle refuses it, 69 where one has not reported.")

    @OptionGroup var fleet: FleetOptions
    @OptionGroup var target: FleetTarget

    @Argument(help: "The GeoJSON file; an empty FeatureCollection takes all fences away.", completion: .file())
    var file: String

    @Option(help: ArgumentHelp("How long to wait for the reports.", valueName: "seconds"))
    var timeout = 60.0

    func validate() throws { try FleetOptions.check(timeout: timeout) }

    func perform() async throws {
        let (_, document) = try FleetGeofencesCommand.loadValid(file)
        let desk = try await fleet.connect()
        let hash = try await desk.publishGeofences(document, to: target.level, device: target.device ?? "any")
        Console.printMessage("published, waiting for reports; Ctrl-C waits no longer\n")
        let outcome = try await target.awaitRollout(of: hash, subject: .geofences, using: desk, seconds: timeout)
        if outcome.applied.isEmpty { Console.printMessage("no vehicle is known that it concerns\n") }
    }
}

/// `odograph fleet geofences diff FILE`.
struct FleetGeofencesDiffCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "diff", abstract: "Compare a file with the whole set that the broker keeps for a level.",
        discussion: """
            Prints the identifiers of fences that would be added (+), changed (~) and removed (-). The exit code is 1 where \
            there are such, 65 where the file is wrong. Fences that were published one by one lie over the whole set and \
            are not looked at.
            """)

    @OptionGroup var fleet: FleetOptions
    @OptionGroup var target: FleetTarget

    @Argument(help: "The GeoJSON file.", completion: .file())
    var file: String

    func perform() async throws {
        let (new, _) = try FleetGeofencesCommand.loadValid(file)
        let desk = try await fleet.connect()
        let old = try await desk.retainedGeofences(of: target.level, device: target.device ?? "any")
        await desk.disconnect()
        let difference = GeofenceDifference(new, over: old)
        try Console.print(difference.text)
        if !difference.isEmpty { throw ExitCode(1) }
    }
}
