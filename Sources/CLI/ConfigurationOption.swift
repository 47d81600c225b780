import ArgumentParser
import Glibc
import Odograph
import OdographOperator

/// The configuration file that most subcommands need.
struct ConfigurationOption: ParsableArguments {
    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "The agent's configuration. Default: ODOGRAPH_CONFIG, else /etc/odograph/agent.json5.",
            valueName: "file"), completion: .file())
    var config: String?

    /// Whether somebody has said which file it is.
    var isExplicit: Bool { config != nil || Self.environmentPath != nil }

    /// The path that was named, or the default.
    var path: String { config ?? Self.environmentPath ?? "/etc/odograph/agent.json5" }

    /// Reads it.
    /// - Throws: `ConfigurationError`; `Failure` where nobody has said which file it is, and there is none at its usual place.
    func load() throws -> AgentConfiguration {
        if !isExplicit, access(path, F_OK) != 0, errno == ENOENT {
            throw ExitError(
                .configuration, "\(path): there is no such file; name another with --config, or in ODOGRAPH_CONFIG")
        }
        return try ConfigurationFile.load(path)
    }

    private static var environmentPath: String? {
        getenv("ODOGRAPH_CONFIG").map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
    }
}
