import ArgumentParser
import CivilTime
import Odograph
import OdographOperator

/// `odograph status`: prints the status of the agent.
struct StatusCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Say how the agent is: broker, source, position, odometer, what waits.",
        discussion: "Asks the running agent; where none runs, its database.")

    @OptionGroup var options: AgentOptions

    func perform() async throws {
        let status = try await options.agent().status()
        try Console.print(
            options.json ? try status.json() : status.text(now: .now))
    }
}
