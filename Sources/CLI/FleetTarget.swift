import ArgumentParser
import Odograph
import OdographConsole
import OdographOperator
import OdographThreads
import OdographWire

/// The options that select the level of a document: exactly one of the three.
struct FleetTarget: ParsableArguments {
    @Option(help: "One vehicle.")
    var device: String?

    @Option(help: "All vehicles of a group.")
    var group: String?

    @Flag(help: "All vehicles of the fleet.")
    var all = false

    func validate() throws {
        guard [device != nil, group != nil, all].count(where: { $0 }) == 1 else {
            throw ValidationError("Give exactly one of --device NAME, --group NAME and --all.")
        }
        try FleetOptions.check(device, what: "device")
        try FleetOptions.check(group, what: "group")
    }

    var level: DownlinkLevel {
        if device != nil { return .device }
        return group.map { .group($0) } ?? .all
    }

    /// Returns the place of a document for the level.
    func place(_ kind: DocumentPlace.Kind) -> DocumentPlace { DocumentPlace(kind, level: level, device: device) }

    /// Checks that a vehicle of the level is known, so that a wrong name publishes nothing.
    /// - Throws: `ExitError` if none is known.
    static func requireRecipient(of place: DocumentPlace, using desk: FleetClient) async throws {
        do {
            try await desk.requireRecipient(of: place.level, device: place.device)
        } catch {
            throw ExitError(
                error.code, error.text + "\nnothing was published; --force publishes it for vehicles that connect later"
            )
        }
    }

    /// Waits for the reports of the vehicles of a level and prints them. On a terminal it shows the progress.
    /// - Parameters:
    ///   - document: The published document.
    ///   - desk: The client.
    ///   - seconds: The maximum time to wait.
    ///   - json: Whether to print JSON.
    /// - Throws: an exit code if a vehicle refuses the document; `ExitError` if another sender replaces it, or a
    ///   vehicle has not reported in time.
    static func awaitRollout(
        of document: PublishedDocument, using desk: FleetClient, seconds: Double, json: Bool
    ) async throws {
        let shownRefusals = Lock(Set<String>())
        let (outcome, isComplete) = await Interrupt.cancelling {
            await desk.awaitRollout(of: document, seconds: seconds) { progress in
                // Refusals are shown at once: other vehicles can be late.
                let new = shownRefusals.withLock { shown in progress.refusalDetails.filter { shown.insert($0).inserted }
                }
                if Console.isErrorTerminal {
                    if !new.isEmpty { ProgressLine.draw("") }
                    for detail in new { Console.printMessage("refused: \(detail)".printable + "\n") }
                    ProgressLine.draw(progress.summary)
                }
            }
        }
        if Console.isErrorTerminal { ProgressLine.draw("") }
        if json {
            try Console.printJSON(try outcome.jsonLines())
        } else {
            try Console.print(outcome.text(now: .now, width: Console.terminalSize?.columns))
        }
        if let replacement = outcome.replacement {
            throw ExitError(
                .problems,
                "the broker now retains \(replacement.text.printable), which replaced your document; "
                    + "the vehicles use that one. Compare the two, and publish the one that is to be in force")
        }
        if outcome.hasRefusals { throw ExitCode(1) }
        if !isComplete {
            let note =
                document.document.isRemoval ? "" : "; the broker keeps it for the other vehicles until they connect"
            throw ExitError(
                .unavailable,
                outcome.summary + note + "\nif a vehicle is retired, \"odograph fleet forget NAME\" removes it")
        }
        if outcome.applied.isEmpty { Console.printMessage("no known vehicle uses this level\n") }
    }
}
