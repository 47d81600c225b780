import ArgumentParser
import Odograph
import OdographOperator

/// A command whose errors are printed to the standard error and give an exit code of sysexits.h.
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
            // Issues of a configuration begin with the file name, as a compiler's do, so that an editor can open it.
            let text = failure.code == .configuration ? failure.text : "\(program): \(failure.text)"
            Console.printMessage(text + "\n")
            throw ExitCode(failure.code.rawValue)
        }
    }
}
