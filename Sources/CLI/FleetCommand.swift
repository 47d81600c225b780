import ArgumentParser
import Odograph
import OdographConsole
import OdographOperator
import OdographWire

/// `odograph fleet`: commands for the operator of a fleet.
struct FleetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fleet", abstract: "Configure, query and monitor the vehicles of a fleet through its broker.",
        subcommands: [
            FleetConfigCommand.self, FleetGeofencesCommand.self, FleetStatusCommand.self, FleetSendCommand.self,
            FleetForgetCommand.self,
        ])
}

/// `odograph fleet config`.
struct FleetConfigCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config", abstract: "Publish a configuration, or print the configuration in force.",
        subcommands: [FleetConfigSetCommand.self, FleetConfigShowCommand.self])
}

/// `odograph fleet config set FILE`.
struct FleetConfigSetCommand: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Check a configuration, publish it, and wait for the vehicles' reports.",
        discussion: """
            Publishes nothing if no vehicle of the level is known. The exit code is 1 if a vehicle rejects the document \
            or another sender replaces it at the broker, 69 if no vehicle is known or one does not report in time.
            """)

    @OptionGroup var fleet: FleetOptions
    @OptionGroup var target: FleetTarget

    @Argument(help: ArgumentHelp("The JSON5 document. An empty file removes the old one."), completion: .file())
    var file: String

    @Option(help: ArgumentHelp("The maximum time to wait for the reports.", valueName: "seconds"))
    var timeout = 30.0

    @Flag(help: "Publish also if no vehicle of the level is known.")
    var force = false

    func validate() throws { try FleetOptions.check(timeout: timeout) }

    func run() async throws {
        let document = try FleetDocument.read(file)
        // Checked before connecting, so that mistakes are reported without a broker.
        _ = try FleetClient.validate(document, origin: file)
        let desk = try await fleet.connect()
        // A document for a wrong level can be removed.
        if !force, !document.isEmpty { try await target.requireRecipient(using: desk) }
        let published = try await desk.publishConfiguration(
            document, to: target.level, device: target.device, origin: file)
        Console.printMessage(
            "\(document.isEmpty ? "removed" : "published"), waiting for reports; Ctrl-C stops waiting\n")
        try await target.awaitRollout(of: published, using: desk, seconds: timeout)
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

    func validate() throws { try FleetOptions.check(device, what: "device") }

    func run() async throws {
        let desk = try await fleet.connect()
        let text: String
        do {
            text = try await desk.configurationText(device: device)
        } catch {
            await desk.disconnect()
            throw error
        }
        await desk.disconnect()
        try Console.print(text)
    }
}

/// `odograph fleet command ACTION`.
struct FleetSendCommand: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "command", abstract: "Send a command to a vehicle, and print the response as JSON.",
        discussion: "The exit code is 1 if the response is an error, 69 if there is no response.")

    @OptionGroup var fleet: FleetOptions

    @Option(help: "The name of the vehicle.")
    var device: String

    @Argument(help: "The action, such as get_status.")
    var action: String

    @Argument(help: "The parameters of the action, as JSON5: \"{ value: 0 }\".")
    var parameters = "{}"

    @Option(
        help: ArgumentHelp(
            "The maximum time to wait for the response. Then the command expires and is not executed later.",
            valueName: "seconds"))
    var timeout = 30.0

    func validate() throws {
        try FleetOptions.check(device, what: "device")
        try FleetOptions.check(timeout: timeout)
    }

    func run() async throws {
        let members = try FleetDocument.commandParameters(from: parameters)
        let desk = try await fleet.connect()
        let answer: CommandResponse
        do {
            answer = try await desk.sendCommand(
                .init(rawValue: action), parameters: members, device: device, timeoutSeconds: timeout)
        } catch {
            await desk.disconnect()
            throw error
        }
        await desk.disconnect()
        try Console.print(try FleetDocument.json(of: answer))
        if !answer.isSuccess { throw ExitCode(1) }
    }
}
