import ArgumentParser
import Odograph
import OdographConsole
import OdographOperator

/// `odograph config`: checks or shows a configuration file.
struct ConfigCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config", abstract: "Check a configuration file, or print the effective configuration.",
        subcommands: [ConfigCheckCommand.self, ConfigShowCommand.self])
}

/// `odograph config check FILE`.
struct ConfigCheckCommand: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Check a configuration file. Starts nothing.",
        discussion: ConfigurationCheck.discussion)

    @OptionGroup var file: ConfigurationArgument

    @OptionGroup var check: ConfigurationCheck

    func run() async throws {
        let configuration = try check.reading(file.path) { try file.load() }
        try check.show(
            file.path, broker: configuration.withCertificateInUse().broker, device: configuration.address.device,
            summary: configuration.summary, warnings: configuration.warnings
        ) { CaptureCheck.findings(configuration.source) }
    }
}

/// `odograph config show FILE`.
struct ConfigShowCommand: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Print the effective configuration as JSON, with all defaults.")

    @OptionGroup var file: ConfigurationArgument

    @Flag(help: "Print one line.")
    var json = false

    func run() async throws {
        let configuration = try file.load()
        try Console.printJSON(json ? try configuration.documentLine() : try configuration.document())
    }
}

/// The configuration file as an argument, as an option, or by default.
struct ConfigurationArgument: ParsableArguments {
    @Argument(
        help: ArgumentHelp("The configuration file; - is the standard input.", valueName: "file"), completion: .file())
    var file: String?

    @OptionGroup var option: ConfigurationOption

    var path: String { file ?? option.path }

    func validate() throws {
        if let file, let other = option.config {
            throw ValidationError("\"\(file)\" and \"\(other)\" are two configuration files; give one.")
        }
    }

    func load() throws -> AgentConfiguration {
        try file.map { path throws(ConfigurationError) in try ConfigurationFile.load(path) } ?? option.load()
    }
}
