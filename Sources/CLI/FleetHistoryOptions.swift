import ArgumentParser
import Odograph
import OdographConsole
import OdographOperator
import OdographWire

/// The options of the commands that print the kept documents of a level.
struct FleetHistoryOptions: ParsableArguments {
    static let discussion = """
        For each document: when this desk published it, or found it at the broker; the sender; version and hash. \
        The desk keeps 100 documents of a level in $XDG_STATE_HOME/odograph/desk, or ~/.local/state/odograph/desk. \
        It does not know documents of other desks that were replaced before it looked.
        """

    @Flag(help: "Print one JSON object per document, with its text, oldest first.")
    var json = false

    /// Prints the kept documents.
    func show(_ place: DocumentPlace, _ fleet: FleetOptions) async throws {
        try await fleet.using { desk in
            let history = try await desk.history(of: place, in: FleetOptions.stateFolder)
            let current = try await desk.retained(at: place, keepingIn: history)?.document.hash
            let entries = try history?.entries() ?? []
            if json {
                try Console.printJSON(try DocumentHistory.jsonLines(entries, current: current))
            } else if entries.isEmpty {
                let kept =
                    history == nil
                    ? "this user has no home folder, so this desk keeps no documents"
                    : "this desk keeps no document of this level"
                Console.printMessage(
                    kept + (current == nil ? ", and the broker retains none\n" : "; the broker retains one\n"))
            } else {
                let width = Console.terminalSize?.columns
                try Console.print(DocumentHistory.table(entries, current: current, width: width))
                if current == nil { Console.printMessage("the broker retains no document of this level\n") }
            }
        }
    }
}

/// The options of the commands that publish a kept document again.
struct FleetRollbackOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("The version of the document, or the beginning of its hash.", valueName: "version"))
    var to: String?

    /// Returns the kept document, as its author has written it.
    /// - Throws: `ExitError` if there is none.
    func text(of place: DocumentPlace, using desk: FleetClient) async throws -> [UInt8] {
        let history = try await desk.history(of: place, in: FleetOptions.stateFolder)
        let retained = try await desk.retained(at: place, keepingIn: history)
        return try DocumentHistory.target(
            in: try history?.entries() ?? [], matching: to, current: retained?.document.hash, of: place.kind
        ).text
    }
}
