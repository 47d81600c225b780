import ArgumentParser
import Odograph
import OdographConsole
import OdographOperator
import OdographWire

/// `odograph fleet command ACTION`.
struct FleetSendCommand: ProgramCommand {
    /// The actions that a person sends.
    private static let actions = CommandRequest.Action.knownValues.filter { $0 != .rollCall }.map(\.rawValue)

    static let configuration = CommandConfiguration(
        commandName: "command", abstract: "Send a command to vehicles, and print the responses.",
        discussion: """
            The actions are \(actions.joined(separator: ", ")). The response of one vehicle (--device) is printed as \
            JSON. For a group or all vehicles there is one line per vehicle. The exit code is 1 if a vehicle refuses \
            the command, 69 if one is offline or does not respond.
            """)

    @OptionGroup var fleet: FleetOptions
    @OptionGroup var target: FleetTarget

    @Argument(help: "The action, such as get_status.", completion: .list(actions))
    var action: String

    @Argument(
        help: """
            The parameters of the action, as JSON5: "{ value: 0 }". The times from, to and after can be dates or ages \
            such as 2h.
            """)
    var parameters = "{}"

    @Option(
        help: ArgumentHelp(
            "The maximum time to wait for the responses. Then the command expires and is not executed later.",
            valueName: "seconds"))
    var timeout = 30.0

    @Flag(help: "Print one JSON object per vehicle.")
    var json = false

    func validate() throws {
        try FleetOptions.check(timeout: timeout)
        guard action != CommandRequest.Action.rollCall.rawValue else {
            throw ValidationError("roll_call has no response; fleet status sends it where the broker needs it.")
        }
    }

    func run() async throws {
        let members = try FleetDocument.commandParameters(
            from: parameters, zone: try TimeOption.localZone(nil))
        let failure = try await fleet.using { desk in
            let action = CommandRequest.Action(rawValue: action)
            guard let device = target.device else {
                let outcomes = try await desk.sendCommand(
                    action, parameters: members, level: target.level, timeoutSeconds: timeout)
                return try show(outcomes)
            }
            let answer = try await desk.sendCommand(
                action, parameters: members, device: device, timeoutSeconds: timeout)
            guard !json else { return try show([CommandOutcome(device: device, result: .response(answer))]) }
            try Console.printJSON(try FleetDocument.json(of: answer))
            return answer.isSuccess ? nil : .problems
        }
        if let failure { throw ExitCode(failure.rawValue) }
    }

    private func show(_ outcomes: [CommandOutcome]) throws -> ExitError.Code? {
        if json {
            try Console.printJSON(try CommandOutcome.jsonLines(outcomes))
        } else {
            try Console.print(CommandOutcome.table(outcomes, width: Console.terminalSize?.columns))
        }
        return CommandOutcome.failure(outcomes)
    }
}
