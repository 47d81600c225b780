import ArgumentParser
import Odograph
import OdographConsole
import OdographOperator

/// `odograph doctor`: checks the configuration and the environment of the agent.
struct DoctorCommand: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor", abstract: "Check broker, credentials, receiver, clock and disk; print advice.",
        discussion: "Run it as the agent's user. The exit code is 1 if a check fails.")

    @OptionGroup var file: ConfigurationOption

    @Option(help: ArgumentHelp("The time limit for broker and receiver, 1 to 600.", valueName: "seconds"))
    var wait = 5.0

    @Flag(help: "Print JSON.")
    var json = false

    func validate() throws {
        guard (1...600).contains(wait) else {
            throw ValidationError("--wait is \(wait); give a number of seconds from 1 to 600.")
        }
    }

    func run() async throws {
        let isColored = Console.isOutputColored
        let findings = try await Doctor(configuration: file.path, waitSeconds: wait).runChecks { finding in
            if !json { try Console.print(Self.line(finding, isColored: isColored)) }
        }
        if json { try Console.print(try findings.json()) }
        if findings.hasFailures { throw ExitCode(ExitError.Code.problems.rawValue) }
    }

    private static func line(_ finding: Finding, isColored: Bool) -> TerminalText {
        guard isColored else { return TerminalText(finding.line + "\n") }
        let color: TerminalSequence =
            switch finding.level {
            case .ok: .green
            case .warn: .yellow
            case .fail: .red
            }
        let level = finding.level.rawValue
        var text = TerminalText()
        text.append(color)
        text.append(level)
        text.append(.reset)
        text.append(finding.line.dropFirst(level.count) + "\n")
        return text
    }
}
