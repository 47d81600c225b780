import ArgumentParser
import Glibc
import Odograph

/// The configuration file that most subcommands need.
struct ConfigurationOption: ParsableArguments {
    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "The agent's configuration. Default: ODOGRAPH_CONFIG, else /etc/odograph/agent.json5.",
            valueName: "file"), completion: .file())
    var config: String?

    /// Whether somebody has said which file it is.
    var isNamed: Bool { config != nil || Self.fromEnvironment != nil }

    /// The path that was named, or the default.
    var path: String { config ?? Self.fromEnvironment ?? "/etc/odograph/agent.json5" }

    func load() throws -> AgentConfiguration {
        try ConfigurationFile.load(path)
    }

    private static var fromEnvironment: String? {
        getenv("ODOGRAPH_CONFIG").map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
    }
}
