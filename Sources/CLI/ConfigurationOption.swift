import ArgumentParser
import Glibc
import Odograph
import OdographOperator

/// The option for the configuration file.
struct ConfigurationOption: ParsableArguments {
    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "The agent's configuration file. Default: ODOGRAPH_CONFIG, else /etc/odograph/agent.json5.",
            valueName: "file"), completion: .file())
    var config: String?

    /// Whether the file is given by the option or the environment.
    var isExplicit: Bool { config != nil || Self.environmentPath != nil }

    /// The given path, or the default.
    var path: String { config ?? Self.environmentPath ?? "/etc/odograph/agent.json5" }

    /// Reads the file.
    /// - Throws: `ConfigurationError`; `ExitError` if no file is given and the default one does not exist.
    func load() throws -> AgentConfiguration {
        if !isExplicit, access(path, F_OK) != 0, errno == ENOENT {
            throw ExitError(
                .configuration, "\(path): the file does not exist; give another one with --config or ODOGRAPH_CONFIG")
        }
        return try ConfigurationFile.load(path)
    }

    private static var environmentPath: String? {
        getenv("ODOGRAPH_CONFIG").map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
    }
}
