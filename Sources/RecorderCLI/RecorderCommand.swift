import ArgumentParser
import Odograph
import OdographConsole

/// The command `odograph-recorder`.
@main
struct RecorderCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "odograph-recorder",
        abstract: "Stores what the vehicles of a fleet publish in an SQLite database.",
        version: Build.version,
        subcommands: [
            RunCommand.self, ConfigCommand.self, StatusCommand.self, SchemaCommand.self,
        ])

    static func main() async { await CommandEntry.run(Self.self) }
}

/// A command whose errors are printed to the standard error and give an exit code of sysexits.h.
protocol Subcommand: AsyncParsableCommand {
    func perform() async throws
}

extension Subcommand {
    func run() async throws {
        do {
            try await perform()
        } catch {
            throw CommandEntry.report(error, program: RecorderCommand.configuration.commandName ?? "odograph-recorder")
        }
    }
}
