import ArgumentParser
import Glibc
import OdographOperator

/// How a program parses its arguments, and how it prints the error of a command.
package enum CommandEntry {
    /// Runs the command of the arguments. Help and argument errors are printed here, because the parser's messages
    /// would quote the arguments with their control characters.
    package static func run<Root: AsyncParsableCommand>(_ root: Root.Type) async {
        do {
            let command = try root.parseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                var command = command
                try command.run()
            }
        } catch {
            let (code, message) = (root.exitCode(for: error), root.fullMessage(for: error))
            let text = message.isEmpty ? "" : message + "\n"
            if code == .success { try? Console.print(text) } else { Console.printMessage(text) }
            Glibc.exit(code.rawValue)
        }
    }

    /// Prints an error of a command to the standard error, and returns the exit code of sysexits.h.
    /// - Parameters:
    ///   - error: The error.
    ///   - program: The name of the program.
    package static func report(_ error: any Error, program: String) -> ExitCode {
        if let code = error as? ExitCode { return code }
        let failure = ExitError(error)
        // Issues of a configuration begin with the file name, as a compiler's do, so that an editor can open it.
        let text = failure.code == .configuration ? failure.text : "\(program): \(failure.text)"
        Console.printMessage(text + "\n")
        return ExitCode(failure.code.rawValue)
    }
}
