import ArgumentParser
import Odograph
import OdographOperator

/// The options that select the agent of a command.
struct AgentOptions: ParsableArguments {
    @OptionGroup var file: ConfigurationOption

    @Option(
        help: ArgumentHelp(
            "The control socket of the running agent. Default: the socket in the configuration.", valueName: "path"),
        completion: .file())
    var socket: String?

    @Flag(help: "Print one JSON object per line.")
    var json = false

    /// Returns the agent. A configuration is not needed if the socket is given.
    func agent() throws -> LocalAgent {
        if let socket, !file.isExplicit { return LocalAgent(configuration: nil, socketPath: socket) }
        return LocalAgent(configuration: try file.load(), socketPath: socket)
    }
}
