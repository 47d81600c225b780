import ArgumentParser
import Odograph
import OdographConsole
import OdographOperator
import OdographWire

/// `odograph fleet geofences`.
struct FleetGeofencesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "geofences",
        abstract: "Publish the geofences of a level, change single ones, print them, or go back to an earlier set.",
        subcommands: [
            FleetGeofencesPushCommand.self, FleetGeofencesAddCommand.self, FleetGeofencesRemoveCommand.self,
            FleetGeofencesDiffCommand.self, FleetGeofencesShowCommand.self, FleetGeofencesPullCommand.self,
            FleetGeofencesHistoryCommand.self, FleetGeofencesRollbackCommand.self,
        ])

    /// Reads a file for publication. One invalid geofence makes the file invalid.
    /// - Parameter isSet: Whether the file replaces a set. One Feature can be added to a set, but is none.
    static func loadValid(_ path: String, isSet: Bool) throws -> [UInt8] {
        let limit = BrokerConfiguration.maximumIncomingBytes
        let name = FileReader.name(of: path)
        let tooLarge = ExitError(
            .dataError, "\(name): larger than the maximum of \(limit >> 20) MiB; divide the geofences among levels")
        // Read once, because the standard input cannot be read again.
        let bytes = try FleetDocument.read(path, atMost: limit, tooLarge: tooLarge)
        let checked = try check(bytes, origin: path)
        if isSet, checked.isSingleFeature {
            throw ExitError(.dataError, "\(name): not published: \(GeofenceParser.featureInsteadOfSet)".printable)
        }
        return bytes
    }

    /// Checks a set for publication.
    /// - Throws: `ExitError` if a geofence is invalid.
    @discardableResult
    static func check(_ document: [UInt8], origin: String) throws -> GeofenceFile {
        let file = try GeofenceFile.parse(document, origin: origin)
        guard file.problemCount == 0 else {
            throw ExitError(
                .dataError,
                "\(FileReader.name(of: origin)): not published, it has errors:\n\(file.problemText.dropLast())")
        }
        return file
    }
}

/// The options of the commands that publish a set of geofences.
struct GeofencePublication: ParsableArguments {
    @OptionGroup var publication: FleetPublication

    /// The identifiers that a question or an error has at most.
    private static let maximumNames = 10

    /// Publishes a set, after a question if it removes geofences.
    /// - Parameters:
    ///   - document: The set.
    ///   - origin: Its name in error messages.
    ///   - isRemovalWanted: Whether the command itself says what is removed.
    ///   - canAsk: Whether a person can answer on the standard input.
    func publish(
        _ document: [UInt8], origin: String, to place: DocumentPlace, using desk: FleetClient,
        isRemovalWanted: Bool = false, canAsk: Bool = true
    ) async throws {
        try await publication.publish(document, origin: origin, to: place, using: desk) { plan in
            Console.printMessage(plan.changes.text(width: Console.terminalSize?.columns))
            if let effect = Self.effect(plan), !isRemovalWanted || plan.isOldUnknown {
                try publication.confirm(effect, canAsk: canAsk)
            }
        }
    }

    /// Returns what the publication takes away; nil for nothing.
    private static func effect(_ plan: DocumentPlan) -> String? {
        if plan.isOldUnknown {
            return "it replaces a set that vehicles use, and that neither the broker nor this desk has"
        }
        let removed = plan.removedGeofences
        guard !removed.isEmpty else { return nil }
        let rest = removed.count - maximumNames
        let names = removed.prefix(maximumNames).joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "")
        return "it removes \(Format.count(removed.count, "geofence", "geofences")): \(names)".printable
    }
}

/// `odograph fleet geofences push FILE`.
struct FleetGeofencesPushCommand: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "push", abstract: "Check a set of geofences, publish it, and wait for the vehicles' reports.",
        discussion: """
            The set replaces that of the level. The command prints the identifiers that it adds (+), changes (~) and \
            removes (-), and asks before it removes one; without a terminal it needs --yes. It warns of geofences that \
            are far from every vehicle of the level. With --dry-run it publishes nothing. It also publishes nothing if \
            no vehicle of the level is known. The exit code is 65 if the file is invalid, 64 if --yes is missing, 1 if \
            a vehicle rejects a geofence or another sender replaces the set at the broker, 69 if no vehicle is known \
            or one does not report in time.
            """)

    @OptionGroup var fleet: FleetOptions
    @OptionGroup var target: FleetTarget
    @OptionGroup var options: GeofencePublication

    @Argument(
        help: "The GeoJSON file; - is the standard input. An empty FeatureCollection removes all geofences.",
        completion: .file())
    var file: String

    func run() async throws {
        let document = try FleetGeofencesCommand.loadValid(file, isSet: true)
        try await fleet.using(isWatching: true) { desk in
            try await options.publish(
                document, origin: FileReader.name(of: file), to: target.place(.geofences), using: desk,
                canAsk: file != FileReader.standardInput)
        }
    }
}

/// `odograph fleet geofences add FILE`.
struct FleetGeofencesAddCommand: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Add geofences to the set of a level, or replace single ones.",
        discussion: """
            Reads the set that the broker retains, puts the geofences of the file into it, and publishes it. A \
            geofence takes the place of the one with its identifier. The exit codes are those of "odograph fleet \
            geofences push".
            """)

    @OptionGroup var fleet: FleetOptions
    @OptionGroup var target: FleetTarget
    @OptionGroup var options: GeofencePublication

    @Argument(help: "A GeoJSON Feature, or a FeatureCollection; - is the standard input.", completion: .file())
    var file: String

    func run() async throws {
        let added = try GeofenceDocument(
            try FleetGeofencesCommand.loadValid(file, isSet: false), origin: FileReader.name(of: file))
        let place = target.place(.geofences)
        try await fleet.using(isWatching: true) { desk in
            let document = try await desk.changedGeofences(at: place) { $0.add(added) }
            try await options.publish(
                document, origin: "the set with the change", to: place, using: desk,
                canAsk: file != FileReader.standardInput)
        }
    }
}

/// `odograph fleet geofences remove IDENTIFIER`.
struct FleetGeofencesRemoveCommand: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove single geofences from the set of a level.",
        discussion: """
            Reads the set that the broker retains, takes the geofences out of it, and publishes it. The exit codes are \
            those of "odograph fleet geofences push"; 69 also if the set has no such geofence.
            """)

    @OptionGroup var fleet: FleetOptions
    @OptionGroup var target: FleetTarget
    @OptionGroup var options: GeofencePublication

    @Argument(help: ArgumentHelp("The identifiers of the geofences.", valueName: "identifier"))
    var identifiers: [String]

    func run() async throws {
        let place = target.place(.geofences)
        try await fleet.using(isWatching: true) { desk in
            let document = try await desk.changedGeofences(at: place) { set throws(ExitError) in
                for identifier in identifiers where !set.remove(identifier) {
                    let similar = SpellingSuggestion.closestMatch(to: identifier, among: set.identifiers)
                    throw ExitError(
                        .unavailable,
                        "the set has no geofence \(identifier)".printable
                            + (similar.map { "; did you mean \($0)?".printable } ?? "") + "; nothing was published")
                }
            }
            try await options.publish(
                document, origin: "the set with the change", to: place, using: desk, isRemovalWanted: true)
        }
    }
}

extension FleetClient {
    /// Returns the set that the broker retains for a level, with a change.
    /// - Throws: `ExitError`.
    fileprivate func changedGeofences(
        at place: DocumentPlace, _ change: @Sendable (inout GeofenceDocument) throws(ExitError) -> Void
    ) async throws -> [UInt8] {
        var set = try GeofenceDocument(try await retained(at: place)?.payload, origin: "the set at the broker")
        try change(&set)
        let document = try set.bytes()
        try FleetGeofencesCommand.check(document, origin: "the set with the change")
        return document
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
        let new = try FleetGeofencesCommand.loadValid(file, isSet: true)
        let old = try await fleet.using { try await $0.retained(at: target.place(.geofences))?.payload }
        let difference = GeofenceDifference(new, over: old)
        if json {
            try Console.printJSON(try difference.jsonLines())
        } else {
            try Console.print(difference.text)
        }
        if !difference.isEmpty { throw ExitCode(1) }
    }
}

/// `odograph fleet geofences show`.
struct FleetGeofencesShowCommand: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Print a table of the geofences of the set that the broker retains for a level.",
        discussion: "The exit code is 69 if the broker retains no set of the level.")

    @OptionGroup var fleet: FleetOptions
    @OptionGroup var target: FleetTarget

    @Flag(help: "Print one GeoJSON Feature per geofence.")
    var json = false

    func run() async throws {
        let retained = try await fleet.retainedGeofences(of: target)
        let table = try GeofenceTable(retained.payload, retained.document)
        if json { return try Console.printJSON(table.jsonLines) }
        try Console.print(table.text(width: Console.terminalSize?.columns))
    }
}

/// `odograph fleet geofences pull`.
struct FleetGeofencesPullCommand: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "pull", abstract: "Print the set that the broker retains for a level, as GeoJSON.",
        discussion: """
            The output is a file for "odograph fleet geofences push". The exit code is 69 if the broker retains no set \
            of the level.
            """)

    @OptionGroup var fleet: FleetOptions
    @OptionGroup var target: FleetTarget

    func run() async throws {
        let payload = try await fleet.retainedGeofences(of: target).payload
        try Console.printJSON(String(decoding: payload, as: UTF8.self) + "\n")
    }
}

extension FleetOptions {
    /// Returns the set that the broker retains for a level.
    /// - Throws: `ExitError` if there is none.
    fileprivate func retainedGeofences(of target: FleetTarget) async throws -> FleetClient.Retained {
        try await using { desk in
            guard let retained = try await desk.retained(at: target.place(.geofences)) else {
                throw ExitError(.unavailable, "the broker retains no set of geofences of this level")
            }
            return retained
        }
    }
}

/// `odograph fleet geofences history`.
struct FleetGeofencesHistoryCommand: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "history", abstract: "Print the sets of a level that this desk has published or found.",
        discussion: FleetHistoryOptions.discussion)

    @OptionGroup var fleet: FleetOptions
    @OptionGroup var target: FleetTarget
    @OptionGroup var options: FleetHistoryOptions

    func run() async throws { try await options.show(target.place(.geofences), fleet) }
}

/// `odograph fleet geofences rollback`.
struct FleetGeofencesRollbackCommand: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "rollback", abstract: "Publish an earlier set of a level again, and wait for reports.",
        discussion: """
            Takes the newest kept set that differs from the one at the broker; a second roll-back returns to the first \
            one. --to selects another one of "odograph fleet geofences history". The exit codes are those of "odograph \
            fleet geofences push"; 69 also if this desk keeps no such set.
            """)

    @OptionGroup var fleet: FleetOptions
    @OptionGroup var target: FleetTarget
    @OptionGroup var rollback: FleetRollbackOptions
    @OptionGroup var options: GeofencePublication

    func run() async throws {
        let place = target.place(.geofences)
        try await fleet.using(isWatching: true) { desk in
            let text = try await rollback.text(of: place, using: desk)
            try await options.publish(text, origin: "the kept set", to: place, using: desk)
        }
    }
}
