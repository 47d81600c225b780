import ArgumentParser
import Odograph
import OdographConsole
import OdographOperator
import OdographWire

/// The options of the commands that publish a document.
struct FleetPublication: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The maximum time to wait for the reports. Default: 30 for a configuration, 60 for geofences.",
            valueName: "seconds"))
    var timeout: Double?

    @Flag(help: "Publish also if no vehicle of the level is known.")
    var force = false

    @Flag(help: "Print what would change, with the old version, and publish nothing.")
    var dryRun = false

    @Flag(help: "Print one JSON object per vehicle; with --dry-run one object.")
    var json = false

    func validate() throws { if let timeout { try FleetOptions.check(timeout: timeout) } }

    private func seconds(_ kind: DocumentPlace.Kind) -> Double {
        switch kind {
        case .configuration: timeout ?? 30
        case .geofences: timeout ?? 60
        }
    }

    /// Publishes a document, or prints what it would change.
    /// - Parameters:
    ///   - document: The document as the operator has written it.
    ///   - origin: The name of the document in error messages.
    ///   - approve: Is called with the changes before the publication. Throws if they are not to be made.
    /// - Throws: an exit code, `ExitError`, `ConfigurationError`.
    func publish(
        _ document: [UInt8], origin: String, to place: DocumentPlace, using desk: FleetClient,
        approve: ((DocumentPlan) async throws -> Void)? = nil
    ) async throws {
        // A document for a wrong level can be removed.
        if !force, !document.isEmpty { try await FleetTarget.requireRecipient(of: place, using: desk) }
        let history = try await desk.history(of: place, in: FleetOptions.stateFolder)
        if dryRun || approve != nil {
            let retained = try await desk.retained(at: place)
            let plan = await desk.plan(document, for: place, over: retained, kept: try history?.entries() ?? [])
            if dryRun { return try show(plan, warnings: await desk.warnings(document, at: place)) }
            for warning in await desk.warnings(document, at: place) {
                Console.printMessage("warning: \(warning)".printable + "\n")
            }
            try await approve?(plan)
        }
        // Kept before it is replaced, so that a roll-back finds it.
        try await Self.keeping { _ = try await desk.retained(at: place, keepingIn: history) }
        let published = try await desk.publish(document, to: place, origin: origin)
        try await Self.keeping { try await desk.keep(published, document, in: history) }
        Console.printMessage(
            "\(document.isEmpty ? "removed" : "published"), waiting for reports; Ctrl-C stops waiting\n")
        try await FleetTarget.awaitRollout(of: published, using: desk, seconds: seconds(place.kind), json: json)
    }

    private func show(_ plan: DocumentPlan, warnings: [String]) throws {
        for warning in warnings { Console.printMessage("warning: \(warning)".printable + "\n") }
        if json { return try Console.printJSON(try plan.json()) }
        try Console.print(plan.text(width: Console.terminalSize?.columns))
        Console.printMessage("nothing was published\n")
    }

    /// Keeps a document. A full disk must not prevent a publication.
    private static func keeping(_ body: () async throws -> Void) async throws {
        do {
            try await body()
        } catch let error as ExitError where [.cannotCreate, .noInput].contains(error.code) {
            Console.printMessage("\(error.text); a roll-back cannot find it\n")
        }
    }
}

extension FleetClient {
    /// The warnings that are shown at most.
    private static let maximumWarnings = 20

    /// Returns what is suspicious in a document, shortened.
    fileprivate func warnings(_ document: [UInt8], at place: DocumentPlace) async -> [String] {
        guard place.kind == .geofences else { return [] }
        let warnings = await placeWarnings(document, at: place)
        let rest = warnings.count - Self.maximumWarnings
        return warnings.prefix(Self.maximumWarnings) + (rest > 0 ? ["\(rest) more geofences are as far away"] : [])
    }
}
