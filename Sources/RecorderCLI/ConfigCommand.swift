import ArgumentParser
import Odograph
import OdographConsole
import OdographOperator
import OdographRecorder

/// `odograph-recorder config`: checks a configuration file.
struct ConfigCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config", abstract: "Check a configuration file.", subcommands: [ConfigCheckCommand.self])
}

/// `odograph-recorder config check FILE`.
struct ConfigCheckCommand: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Check a configuration file. Starts nothing.",
        discussion: """
            Prints each error, its place and the correction. The exit code is 78 if there is an error. Prints a \
            warning if other users can read a file with a secret.
            """)

    @Argument(help: ArgumentHelp("The configuration file.", valueName: "file"), completion: .file())
    var file: String

    func run() async throws {
        let configuration = try RecorderConfiguration.load(file)
        if let reason = configuration.contradiction { throw ExitError(.configuration, "\(file): \(reason)") }
        try Console.print(
            """
            \(file): ok
            broker    \(configuration.broker.url)
            client    \(configuration.clientID)
            topics    \(configuration.filters.joined(separator: " "))
            database  \(configuration.database)
            receipts  \(configuration.receipts.store), every \(configuration.receipts.interval) s, safe \
            \(configuration.receipts.requiresBackup ? "after a backup" : "without a backup")

            """)
        for sentence in configuration.broker.secretExposureWarnings {
            Console.printMessage("\(file): \(sentence)\n")
        }
    }
}
