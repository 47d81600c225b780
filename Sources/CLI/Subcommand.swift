import ArgumentParser
import Odograph
import OdographOperator

/// A command whose errors become a sentence on the standard error and an exit code of sysexits.h.
protocol Subcommand: AsyncParsableCommand {
    func perform() async throws
}

extension Subcommand {
    func run() async throws {
        do {
            try await perform()
        } catch let code as ExitCode {
            throw code
        } catch {
            let failure = ExitError(error)
            let program = OdographCommand.configuration.commandName ?? "odograph"
            // Lines of a configuration begin with the file, as a compiler's do; an editor can jump there.
            let text = failure.code == .configuration ? failure.text : "\(program): \(failure.text)"
            Console.printMessage(text + "\n")
            throw ExitCode(failure.code.rawValue)
        }
    }
}
