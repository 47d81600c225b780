import ArgumentParser
import Glibc
import Odograph

/// The configuration file that most subcommands need.
struct ConfigurationOption: ParsableArguments {
    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "The agent's configuration.", discussion: "Default: ODOGRAPH_CONFIG, else /etc/odograph/agent.json5.",
            valueName: "file"))
    var config: String?

    /// The path that was named, or the default.
    var path: String {
        config ?? getenv("ODOGRAPH_CONFIG").map { String(cString: $0) } ?? "/etc/odograph/agent.json5"
    }

    func load() throws -> AgentConfiguration {
        try ConfigurationFile.load(path)
    }
}
