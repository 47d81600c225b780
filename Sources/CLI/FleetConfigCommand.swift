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
            Publishes nothing if no vehicle of the level is known. The exit code is 1 if a vehicle rejects the \
            document or another sender replaces it at the broker, 69 if no vehicle is known or one does not report in \
            time. An empty file removes the old document; the command asks before, and without a terminal it needs \
            --yes (exit code 64). With --dry-run it prints the changes of the configuration in force, and what a \
            changed schedule says now, and publishes nothing. Vehicles get the document as strict JSON.
            """)

    @OptionGroup var fleet: FleetOptions
    @OptionGroup var target: FleetTarget
    @OptionGroup var publication: FleetPublication

    @Argument(
        help: ArgumentHelp("The JSON5 document; - is the standard input.", valueName: "file"),
        completion: .file())
    var file: String

    func run() async throws {
        let document = try FleetDocument.read(file)
        // Checked before connecting, so that mistakes are reported without a broker.
        let origin = FileReader.name(of: file)
        try FleetClient.validate(document, level: target.level, origin: origin)
        // Also what a failed program writes into a pipe.
        if document.isEmpty, !publication.dryRun {
            let effect = "\(origin) is empty, which removes the configuration of the level".printable
            try publication.confirm(effect, canAsk: file != FileReader.standardInput)
        }
        try await fleet.using { desk in
            try await publication.publish(document, origin: origin, to: target.place(.configuration), using: desk)
        }
    }
}

/// `odograph fleet config show`.
struct FleetConfigShowCommand: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Print the configuration in force in vehicles, and the documents that they rejected.",
        discussion: """
            With --group or --all it prints that of each known vehicle; vehicles with the same one have it once. An \
            online vehicle is asked for what its report lacks.
            """)

    @OptionGroup var fleet: FleetOptions
    @OptionGroup var target: FleetTarget

    @Flag(help: "Print one JSON object per vehicle.")
    var json = false

    func run() async throws {
        try await fleet.using { desk in
            if let device = target.device {
                let shown = try await desk.configuration(of: device)
                return json ? try Console.printJSON(try shown.json()) : try Console.print(try shown.text())
            }
            let all = try await desk.configurations(of: target.level)
            if json {
                for one in all { try Console.printJSON(try one.json()) }
            } else {
                try Console.print(try ConfigurationInForce.text(of: all))
            }
        }
    }
}

/// `odograph fleet config history`.
struct FleetConfigHistoryCommand: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "history", abstract: "Print the configurations of a level that this desk has published or found.",
        discussion: FleetHistoryOptions.discussion)

    @OptionGroup var fleet: FleetOptions
    @OptionGroup var target: FleetTarget
    @OptionGroup var options: FleetHistoryOptions

    func run() async throws { try await options.show(target.place(.configuration), fleet) }
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
    @OptionGroup var rollback: FleetRollbackOptions
    @OptionGroup var publication: FleetPublication

    func run() async throws {
        let place = target.place(.configuration)
        try await fleet.using { desk in
            let text = try await rollback.text(of: place, using: desk)
            try await publication.publish(text, origin: "the kept document", to: place, using: desk)
        }
    }
}
