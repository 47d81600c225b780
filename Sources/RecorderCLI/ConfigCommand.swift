import ArgumentParser
import OdographConsole
import OdographRecorder
import OdographSettings

/// `odograph-recorder config`: checks a configuration file.
struct ConfigCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config", abstract: "Check a configuration file.", subcommands: [ConfigCheckCommand.self])
}

/// `odograph-recorder config check FILE`.
struct ConfigCheckCommand: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Check a configuration file. Starts nothing.",
        discussion: ConfigurationCheck.discussion)

    @Argument(
        help: ArgumentHelp("The configuration file; - is the standard input.", valueName: "file"), completion: .file())
    var file: String

    @OptionGroup var check: ConfigurationCheck

    func run() async throws {
        let configuration = try check.reading(file) { () throws(ConfigurationError) in
            try RecorderConfiguration.load(file)
        }
        let (recording, receipts) = (configuration.recording, configuration.recording.receipts)
        var summary = """
            broker    \(recording.broker.url)
            topics    \(recording.filters.joined(separator: " "))
            database  \(recording.database)
            receipts  \(receipts.recorder), every \(receipts.interval) s, safe \
            \(receipts.requiresBackup ? "after a backup" : "without a backup")
            \(configuration.serviceLines)
            """
        if configuration.history.isAnswering {
            summary += "history   \(configuration.historyFilters.joined(separator: " "))\n"
        }
        try check.show(
            file, broker: recording.broker, secrets: configuration.secretFiles, summary: summary)
    }
}
