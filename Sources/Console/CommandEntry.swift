import ArgumentParser
import Glibc
import OdographSettings
import OdographTerminal

/// A command of a program. ``CommandEntry`` reports its errors. The parser reports the errors of the commands that it
/// adds, such as the help.
package protocol ProgramCommand: AsyncParsableCommand {}

/// How a program parses its arguments, and how it prints the error of a command.
package enum CommandEntry {
    /// Runs the command of the arguments. An error of the command is printed to the standard error, and gives an exit
    /// code of sysexits.h. Help and argument errors are printed here, because the parser's messages would quote the
    /// arguments with their control characters.
    ///
    /// - Parameters:
    ///   - root: The command with all subcommands.
    ///   - secrets: Arguments that no message may quote, and the texts that stand for them.
    package static func run<Root: AsyncParsableCommand>(_ root: Root.Type, hiding secrets: [String: String] = [:]) async
    {
        var command: any ParsableCommand
        do {
            command = try root.parseAsRoot()
        } catch {
            exit(root, error, hiding: secrets)
        }
        do {
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch let error where !(command is any ProgramCommand) || error is CleanExit || error is ExitCode {
            exit(root, error, hiding: secrets)
        } catch {
            let failure = ExitError(error)
            // Issues of a configuration begin with the file name, as a compiler's do, so that an editor can open it.
            let program = failure.code == .configuration ? "" : "\(root.configuration.commandName ?? "\(root)"): "
            Console.printMessage("\(program)\(hidden(failure.text, secrets))\n")
            Glibc.exit(failure.code.rawValue)
        }
    }

    /// Prints a message of the parser, which can be the help, and ends the program.
    private static func exit(
        _ root: any ParsableArguments.Type, _ error: any Error, hiding secrets: [String: String]
    ) -> Never {
        let (code, message) = (root.exitCode(for: error), hidden(root.fullMessage(for: error), secrets))
        let text = message.isEmpty ? "" : message + "\n"
        if code == .success { try? Console.print(text) } else { Console.printMessage(text) }
        Glibc.exit(code.rawValue)
    }

    /// Returns a message with other texts instead of secrets, the longest ones first: one can contain another one.
    private static func hidden(_ message: String, _ secrets: [String: String]) -> String {
        secrets.sorted { $0.key.count > $1.key.count }.reduce(message) { text, secret in
            text.replacing(secret.key, with: secret.value).replacing(secret.key.printable, with: secret.value)
        }
    }
}
