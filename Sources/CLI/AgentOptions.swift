import ArgumentParser
import Odograph
import OdographOperator

/// Which agent a command asks.
struct AgentOptions: ParsableArguments {
    @OptionGroup var file: ConfigurationOption

    @Option(
        help: ArgumentHelp(
            "The control socket of the running agent. Default: as the configuration says.", valueName: "path"),
        completion: .file())
    var socket: String?

    @Flag(help: "Print JSON for a program.")
    var json = false

    /// The agent. Whoever names its socket needs no configuration.
    func agent() throws -> LocalAgent {
        if let socket, !file.isExplicit { return LocalAgent(configuration: nil, socketPath: socket) }
        return LocalAgent(configuration: try file.load(), socketPath: socket)
    }
}
