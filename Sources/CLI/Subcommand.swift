import ArgumentParser
import OdographConsole

/// A command whose errors are printed to the standard error and give an exit code of sysexits.h.
protocol Subcommand: AsyncParsableCommand {
    func perform() async throws
}

extension Subcommand {
    func run() async throws {
        do {
            try await perform()
        } catch {
            throw CommandEntry.report(error, program: OdographCommand.configuration.commandName ?? "odograph")
        }
    }
}
