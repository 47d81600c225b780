import ArgumentParser
import OdographCivilTime
import Odograph
import OdographConsole
import OdographOperator

/// `odograph status`: prints the status of the agent.
struct StatusCommand: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Print the status of the agent: broker, source, position, odometer, backlog, problems.",
        discussion: "Queries the running agent. If no agent runs, the command reads the database.")

    @OptionGroup var options: AgentOptions

    func run() async throws {
        let status = try await options.agent().status()
        if options.json { return try Console.printJSON(try status.json()) }
        try Console.print(status.text(now: .now))
    }
}
