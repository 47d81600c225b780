import ArgumentParser
import Odograph
import OdographConsole
import OdographOperator

/// `odograph fleet config`.
struct FleetConfigCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config",
        abstract: "Publish a configuration, print the one in force, or go back to an earlier one.",
        subcommands: [
            FleetConfigSetCommand.self, FleetConfigShowCommand.self, FleetConfigHistoryCommand.self,
            FleetConfigRollbackCommand.self,
        ])
}

/// `odograph fleet config set FILE`.
struct FleetConfigSetCommand: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Check a configuration, publish it, and wait for the vehicles' reports.",
        discussion: """
            Publishes nothing if no vehicle of the level is known. The exit code is 1 if a vehicle rejects the document \
            or another sender replaces it at the broker, 69 if no vehicle is known or one does not report in time. With \
            --dry-run it prints the changes of the configuration in force, and publishes nothing.
            """)

    @OptionGroup var fleet: FleetOptions
    @OptionGroup var target: FleetTarget
    @OptionGroup var publication: FleetPublication

    @Argument(
        help: ArgumentHelp(
            "The JSON5 document; - is the standard input. An empty file removes the old one.", valueName: "file"),
        completion: .file())
    var file: String

    func run() async throws {
        let document = try FleetDocument.read(file)
        // Checked before connecting, so that mistakes are reported without a broker.
        _ = try FleetClient.validate(document, origin: file)
        let desk = try await fleet.connect()
        try await publication.publish(document, origin: file, to: target, using: desk)
    }
}

/// `odograph fleet config show`.
struct FleetConfigShowCommand: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Print the configuration in force in a vehicle, and the documents that it rejected.")

    @OptionGroup var fleet: FleetOptions

    @Option(help: "The name of the vehicle.")
    var device: String

    @Flag(help: "Print one JSON object.")
    var json = false

    func validate() throws { try FleetOptions.check(device, what: "device") }

    func run() async throws {
        try await fleet.using { desk in
            if json {
                try Console.printJSON(try await desk.configurationJSON(device: device))
            } else {
                try Console.print(try await desk.configurationText(device: device))
            }
        }
    }
}

/// `odograph fleet config history`.
struct FleetConfigHistoryCommand: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "history", abstract: "Print the configurations of a level that this desk has published or found.",
        discussion: """
            For each document: when this desk published it, or found it at the broker; the sender; version and hash. \
            The desk keeps 100 documents of a level in $XDG_STATE_HOME/odograph/desk, or ~/.local/state/odograph/desk. \
            It does not know documents of other desks that were replaced before it looked.
            """)

    @OptionGroup var fleet: FleetOptions
    @OptionGroup var target: FleetTarget

    @Flag(help: "Print one JSON object per document, with its text, oldest first.")
    var json = false

    func run() async throws {
        try await fleet.using { desk in
            let history = try await desk.history(of: target.level, device: target.device, in: FleetOptions.stateFolder)
            let retained = try await desk.retainedConfiguration(
                of: target.level, device: target.device, history: history)
            let entries = try history?.entries() ?? []
            let current = retained?.document.hash
            if json {
                try Console.printJSON(try DocumentHistory.jsonLines(entries, current: current))
            } else if entries.isEmpty {
                Console.printMessage("this desk keeps no document of this level, and the broker retains none\n")
            } else {
                let width = Console.terminalSize?.columns
                try Console.print(DocumentHistory.table(entries, current: current, width: width))
                if current == nil { Console.printMessage("the broker retains no document of this level\n") }
            }
        }
    }
}

/// `odograph fleet config rollback`.
struct FleetConfigRollbackCommand: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "rollback", abstract: "Publish an earlier configuration of a level again, and wait for reports.",
        discussion: """
            Takes the newest kept document that differs from the one at the broker; a second roll-back returns to the \
            first one. --to selects another document of "odograph fleet config history". The exit codes are those of \
            "odograph fleet config set"; 69 also if this desk keeps no such document.
            """)

    @OptionGroup var fleet: FleetOptions
    @OptionGroup var target: FleetTarget
    @OptionGroup var publication: FleetPublication

    @Option(
        help: ArgumentHelp("The version of the document, or the beginning of its hash.", valueName: "version"))
    var to: String?

    func run() async throws {
        let desk = try await fleet.connect()
        let entry: DocumentHistory.Entry
        do {
            let history = try await desk.history(of: target.level, device: target.device, in: FleetOptions.stateFolder)
            let retained = try await desk.retainedConfiguration(
                of: target.level, device: target.device, history: history)
            entry = try DocumentHistory.target(
                in: try history?.entries() ?? [], matching: to, current: retained?.document.hash)
        } catch {
            await desk.disconnect()
            throw error
        }
        try await publication.publish(
            Array(entry.document.utf8), origin: "the kept document", to: target, using: desk)
    }
}

/// The options of the commands that publish a configuration.
struct FleetPublication: ParsableArguments {
    @Option(help: ArgumentHelp("The maximum time to wait for the reports.", valueName: "seconds"))
    var timeout = 30.0

    @Flag(help: "Publish also if no vehicle of the level is known.")
    var force = false

    @Flag(help: "Print what would change, with the old version, and publish nothing.")
    var dryRun = false

    @Flag(help: "Print one JSON object per vehicle; with --dry-run one object.")
    var json = false

    func validate() throws { try FleetOptions.check(timeout: timeout) }

    /// Publishes a document, or prints what it would change.
    /// - Parameter origin: The name of the document in error messages.
    /// - Throws: an exit code, ``ExitError``, ``ConfigurationError``. The client is then disconnected.
    func publish(_ document: [UInt8], origin: String, to target: FleetTarget, using desk: FleetClient) async throws {
        let published: PublishedDocument
        do {
            // A document for a wrong level can be removed.
            if !force, !document.isEmpty { try await target.requireRecipient(using: desk) }
            let history = try await desk.history(of: target.level, device: target.device, in: FleetOptions.stateFolder)
            if dryRun {
                try await showPlan(document, of: target, history, using: desk)
                return await desk.disconnect()
            }
            // Kept before it is replaced, so that a roll-back finds it.
            try await Self.keeping {
                _ = try await desk.retainedConfiguration(of: target.level, device: target.device, history: history)
            }
            published = try await desk.publishConfiguration(
                document, to: target.level, device: target.device, origin: origin)
            try await Self.keeping { try await desk.keep(published, document, in: history) }
        } catch {
            await desk.disconnect()
            throw error
        }
        Console.printMessage(
            "\(document.isEmpty ? "removed" : "published"), waiting for reports; Ctrl-C stops waiting\n")
        try await target.awaitRollout(of: published, using: desk, seconds: timeout, json: json)
    }

    private func showPlan(
        _ document: [UInt8], of target: FleetTarget, _ history: DocumentHistory?, using desk: FleetClient
    ) async throws {
        let retained = try await desk.retainedConfiguration(of: target.level, device: target.device, history: nil)
        let plan = await desk.plan(
            document, for: target.level, device: target.device, over: retained, kept: try history?.entries() ?? [])
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
