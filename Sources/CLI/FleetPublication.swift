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

    @Flag(help: "Publish also what removes the document or geofences, without a question.")
    var yes = false

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
        let isRemovable = document.isEmpty ? try await desk.retained(at: place) != nil : false
        if !force, !isRemovable { try await FleetTarget.requireRecipient(of: place, using: desk) }
        let history = try await desk.history(of: place, in: FleetOptions.stateFolder)
        var plan: DocumentPlan?
        if dryRun || approve != nil {
            let retained = try await desk.retained(at: place)
            plan = await desk.plan(document, for: place, over: retained, kept: try history?.entries() ?? [])
        }
        for warning in await desk.warnings(document, at: place) {
            Console.printMessage("warning: \(warning)".printable + "\n")
        }
        if let plan {
            if dryRun { return try show(plan) }
            try await approve?(plan)
        }
        // Kept before it is replaced, so that a roll-back finds it.
        try await Self.keeping { _ = try await desk.retained(at: place, keepingIn: history) }
        if history == nil {
            Console.printMessage("this user has no home folder: the document is not kept; a roll-back cannot find it\n")
        }
        let published = try await desk.publish(document, to: place, origin: origin)
        try await Self.keeping { try await desk.keep(published, document, in: history) }
        Console.printMessage(
            "\(document.isEmpty ? "removed" : "published"), waiting for reports; Ctrl-C stops waiting\n")
        try await FleetTarget.awaitRollout(of: published, using: desk, seconds: seconds(place.kind), json: json)
    }

    /// Asks whether to publish, unless the options say so.
    /// - Parameters:
    ///   - effect: What the publication takes away.
    ///   - canAsk: Whether a person can answer on the standard input.
    /// - Throws: `ExitError` if it is not to be published.
    func confirm(_ effect: String, canAsk: Bool) throws(ExitError) {
        guard !yes else { return }
        guard canAsk, Console.isInputTerminal, Console.isErrorTerminal else {
            throw ExitError(.usage, "\(effect); nothing was published; --yes publishes it")
        }
        Console.printMessage("\(effect). Publish it? [y/N] ")
        guard ["y", "yes"].contains(readLine()?.lowercased()) else {
            throw ExitError(.problems, "nothing was published")
        }
    }

    private func show(_ plan: DocumentPlan) throws {
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
        guard place.kind == .geofences else { return FleetDocument.warnings(document) }
        let warnings = await placeWarnings(document, at: place)
        let rest = warnings.count - Self.maximumWarnings
        return warnings.prefix(Self.maximumWarnings) + (rest > 0 ? ["\(rest) more geofences are as far away"] : [])
    }
}
